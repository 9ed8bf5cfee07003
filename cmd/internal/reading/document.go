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
	Path    string
	Class   string // that the source gives, or ""
	givenID string
	Time    time.Time // from the source, or 0
	Format  corpus.Format
	found   bool // Format, in Content
	Content []byte
	Given   []corpus.Attribute // by the source
	added   []corpus.Attribute // by --attr
	copy    int                // equal rows before it
	Row     bool               // of a table
	empty   bool               // has neither text nor attributes
	cut     bool               // Content is the beginning of a longer one
	binary  string             // its format, if it certainly is not text

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

func (d *Document) set(c *corpus.Document) {
	d.Path, d.Class, d.givenID, d.Format = c.Path, c.Class, c.ID, c.Format
	d.found = c.Detected
	d.Time, d.Given, d.added, d.copy, d.Row = c.Time, c.Attributes, nil, c.Copy, c.Row
	d.empty, d.cut, d.binary = c.IsEmpty(), c.Cut, c.Binary
	d.Attributes = d.Attributes[:0]
	d.Err, d.MessageID = nil, ""
}

// FormatFrom returns where its format comes from: "content", or "request" also for that of a
// file of several documents.
func (d *Document) FormatFrom() string {
	if d.found {
		return "content"
	}
	return "request"
}

// Identify computes the document's id: from the id that a JSON line or a row gives, for mail
// from Message-ID and body, else from the content and the attributes of --attr; and from the
// source's attributes and the number of equal rows before it. For mail it also sets the
// Message-ID.
func (d *Document) Identify() {
	covered := d.Given
	switch {
	case d.givenID != "":
		d.ID, d.says = classify.ContentID([]byte(d.givenID)), idWith(classify.ContentID(d.Content), d.Given, 0)
		if d.Format == corpus.Mail {
			_, d.MessageID = mail.Identity(d.Content)
		}
		return
	case d.Format == corpus.Mail:
		d.ID, d.MessageID = mail.Identity(d.Content)
	default:
		d.ID = classify.ContentID(d.Content)
		covered = merge(d.Given, d.added)
	}
	d.cover(covered)
}

// cover makes the id one of attributes too, and of the number of equal rows.
func (d *Document) cover(attributes []corpus.Attribute) {
	if len(attributes) > 0 || d.copy > 0 {
		d.ID = idWith(d.ID, attributes, d.copy)
	}
}

// IdentifyAndCount is Identify and Count. Of a message it takes less time than both.
func (d *Document) IdentifyAndCount(a *tokenize.Analyzer) {
	if d.Format != corpus.Mail || d.givenID != "" {
		d.Identify()
		d.Count(a)
		return
	}
	d.Bag.Reset()
	m := mail.ReadMessage(a, &d.Bag, d.Content)
	d.ID, d.MessageID, d.Read = m.ID, m.MessageID, m.Attributes
	d.cover(d.Given)
	d.noteCut()
}

// Count fills the bag, and reads the attributes of a message. A broken message is not
// refused: every part that can be read is counted.
func (d *Document) Count(a *tokenize.Analyzer) {
	d.Bag.Reset()
	switch d.Read = nil; d.Format {
	case corpus.Mail:
		d.Read = mail.Read(a, &d.Bag, d.Content)
	case corpus.HTML:
		a.HTML(&d.Bag, d.Content)
	default:
		a.Text(&d.Bag, "", d.Content)
	}
	d.noteCut()
}

// noteCut counts a term for a document of which only the beginning was read.
func (d *Document) noteCut() {
	if d.cut {
		mail.CountCut(&d.Bag)
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
	for _, a := range d.Given {
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
	case d.binary != "":
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
