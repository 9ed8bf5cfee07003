package reading

import (
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/tags"
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
