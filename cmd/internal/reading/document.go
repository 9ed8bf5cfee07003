package reading

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/dates"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// Document is one document on its way from a path to the classifier. It is reused for the
// next.
type Document struct {
	corpus.Document                    // from the source, with Content of its own
	added           []corpus.Attribute // by --attr
	empty           bool               // has neither text nor attributes

	ID         count.DocID
	MessageID  string      // of a message, "" of one that has none
	says       count.DocID // a digest of all but the class, if the source gives an id
	Bag        tokenize.Bag
	Read       []tokenize.Attribute // from a message
	Attributes []count.Attribute    // all attributes, as they are counted
	Answer     classify.Result
	Tags       tags.Result // in place of Answer
	Err        error

	crash *Crash
	ready chan struct{} // gets a value when work is done
}

// FormatFrom returns where its format comes from: "content", or "request" also for that of a
// file of several documents.
func (d *Document) FormatFrom() string {
	if d.Detected {
		return "content"
	}
	return "request"
}

// Count fills the bag, and reads the attributes of a message. A broken message is not
// refused: every part that can be read is counted. If identify is set it computes the id too: from
// the id that a JSON line or a row gives, for mail from Message-ID and body, else from the content and
// the attributes of --attr; and from the source's attributes and the number of equal rows before it.
// For mail it then also sets the Message-ID.
func (d *Document) Count(a *tokenize.Analyzer, identify bool) {
	d.Bag.Reset()
	var m mail.Message
	switch {
	case d.Format == corpus.Mail && identify:
		m = mail.ReadMessage(a, &d.Bag, d.Content)
	case d.Format == corpus.Mail:
		m.Attributes = mail.Read(a, &d.Bag, d.Content)
	case d.Format == corpus.HTML:
		a.HTML(&d.Bag, d.Content)
	default:
		a.Text(&d.Bag, "", d.Content)
	}
	d.Read = m.Attributes
	if d.Cut {
		mail.CountCut(&d.Bag)
	}
	if identify {
		d.MessageID = m.MessageID
		d.identify(m.ID)
	}
}

// identify computes the id of a document, which is a message with this id or none.
func (d *Document) identify(message count.DocID) {
	given := d.Document.Attributes
	switch {
	case d.Document.ID != "":
		d.ID, d.says = classify.ContentID([]byte(d.Document.ID)), idWith(classify.ContentID(d.Content), given, 0)
		return
	case d.Format == corpus.Mail:
		d.ID = message
	default:
		d.ID = classify.ContentID(d.Content)
		given = merge(given, d.added)
	}
	if len(given) > 0 || d.Copy > 0 {
		d.ID = idWith(d.ID, given, d.Copy)
	}
}

// Learnable returns the document for training, classifying or forgetting.
func (d *Document) Learnable(source string) classify.Document {
	return classify.Document{ID: d.ID, Bag: &d.Bag, Attributes: d.Attributes, Source: source}
}

// Date returns the date of the document: from its source, or else the Date of a message; 0 if
// neither has one.
func (d *Document) Date() (at time.Time) {
	if !d.Time.IsZero() || d.Format != corpus.Mail {
		return d.Time
	}
	header.Each(d.Content, func(name string, value []byte) bool {
		if name == "date" {
			at, _ = dates.Parse(value)
		}
		return name != "date"
	})
	return at
}

// size returns the approximate number of bytes that the document takes in its source; for a
// row, its cells.
func (d *Document) size() int {
	n := len(d.Content)
	for _, a := range d.Document.Attributes {
		n += len(a.Text) + 1
	}
	return n
}

// Reasons for unsure answers that lie in the document and not in the database.
const (
	reasonEmpty  decision.Reason = "empty"
	reasonBinary decision.Reason = "not text"
)

// Doubt makes the answer about an empty or binary document unsure.
func (d *Document) Doubt(r *classify.Result) {
	switch {
	case d.empty:
		r.Unsure, r.Reason = true, reasonEmpty
	case d.Binary != "":
		r.Unsure, r.Reason = true, reasonBinary
	}
}

// Reason words a Reason for the command line.
func Reason(r decision.Reason) string {
	if r == decision.HeldBack {
		return "held back by --fpr"
	}
	return string(r)
}

// values returns the attribute values of d, each name once: --attr takes precedence over
// the source, and the source over values read in a message.
func (d *Document) values() []corpus.Attribute {
	if len(d.Read) == 0 {
		return merge(d.Document.Attributes, d.added)
	}
	read := make([]corpus.Attribute, len(d.Read))
	for i, a := range d.Read {
		read[i] = corpus.Attribute{Name: a.Name, Value: a.Value}
	}
	return merge(merge(read, d.Document.Attributes), d.added)
}

// merge returns the attributes of both, in order of name; for equal names those of over.
func merge(under, over []corpus.Attribute) []corpus.Attribute {
	if len(over) == 0 && slices.IsSortedFunc(under, byName) {
		return under
	}
	all := slices.Clone(over)
	for _, a := range under {
		if !slices.ContainsFunc(over, func(o corpus.Attribute) bool { return o.Name == a.Name }) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, byName)
	return all
}

// idWith returns the id of a document from its content's id, attributes and copies.
func idWith(content count.DocID, attributes []corpus.Attribute, copies int) count.DocID {
	data := binary.AppendUvarint(slices.Clone(content[:]), uint64(copies))
	add := func(text string) {
		data = binary.AppendUvarint(data, uint64(len(text)))
		data = append(data, text...)
	}
	for _, a := range attributes {
		add(a.Name)
		add(written(a))
	}
	sum := sha256.Sum256(data)
	return count.DocID(sum[:16])
}

// written returns a string that distinguishes values: the source's text, or the value it
// stands for.
func written(a corpus.Attribute) string {
	if a.Text != "" {
		return "text " + a.Text
	}
	if x, ok := a.Value.(float64); ok {
		return "number " + strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprintf("%T %v", a.Value, a.Value)
}

// countable returns why an attribute cannot be counted.
func countable(x *count.Attribute) error {
	err := x.Check() // a number is well formed
	if err == nil {
		return nil
	}
	text := strings.Replace(err.Error(), count.ErrInvalid.Error()+": ", "", 1)
	if len(x.Category) > count.MaxCategoryBytes {
		text += fmt.Sprintf(": a text belongs under \"text\", or in a table --text-column %s counts its words", terminal.ShellWords(x.Name))
	}
	return errors.New(text)
}
