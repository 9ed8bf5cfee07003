package classify

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// mostLessons is the number of documents in a batch beyond which only counts are learned: that is a
// training in bulk, which calibrates at its end.
const mostLessons = 64

// Document is a document to learn or to classify.
type Document struct {
	// ID identifies the document: an ID is learned only once, and forgetting and relabelling
	// use it. Classifying does not need it. Classifier.Document derives it from the text, so
	// that equal texts are one document.
	ID count.DocID

	// Bag holds the terms. It is only read; nil is a document without terms.
	Bag *tokenize.Bag

	// Attributes are its named values, each name once.
	Attributes []count.Attribute

	// Time is when it was learned; the zero time means now. For documents of the past it is their
	// own time, so that calibrating can tell how the latest differ (calibration.Latest).
	Time time.Time

	// Source names where its class comes from; it may be empty.
	Source string
}

// ContentID returns the first 16 bytes of the SHA-256 of content: an ID for a document
// that has no better one, or for a key of the program.
func ContentID(content []byte) count.DocID {
	sum := sha256.Sum256(content)
	return count.DocID(sum[:16])
}

// Counted returns doc as a count.Document of class. Its terms, which point into the Bag, are appended to
// terms.
func (doc *Document) Counted(class string, terms []count.TermCount) count.Document {
	d := count.Document{ID: doc.ID, Class: class, Time: doc.Time, Source: doc.Source, Attributes: doc.Attributes}
	if d.Time.IsZero() {
		d.Time = time.Now()
	}
	d.Terms = appendTerms(terms, doc.Bag)
	return d
}

// appendTerms appends the terms of bag, which may be nil, to dst.
func appendTerms(dst []count.TermCount, bag *tokenize.Bag) []count.TermCount {
	if bag == nil {
		return dst
	}
	dst = slices.Grow(dst, bag.Len())
	for i := range bag.Len() {
		term, n := bag.At(i)
		dst = append(dst, count.TermCount{Term: term, N: uint8(n)})
	}
	return dst
}

// Batch collects changes of many documents, which Apply makes in one transaction, all or
// none. The zero value is empty. A Batch is built by one goroutine; applied, to any number of
// databases, it is only read.
type Batch struct {
	delta store.Delta
	terms []count.TermCount // reused by do
	grams [][]uint16        // of the first documents
}

// do passes doc, with class, to a method of the Delta, which keeps no part of it.
func (b *Batch) do(doc *Document, class string, f func(count.Document) error) error {
	if doc.ID == (count.DocID{}) {
		return fmt.Errorf("document without an ID: %w", count.ErrInvalid)
	}
	if err := count.CheckClass(class); class != "" && err != nil {
		return err
	}
	counted := doc.Counted(class, b.terms[:0])
	b.terms = counted.Terms
	defer clear(b.terms) // or it would keep the text
	if at := b.delta.Len(); at < mostLessons {
		if own := doc.Bag.AppendGrams(nil); len(own) > 0 {
			grams := make([][]uint16, at+1)
			copy(grams[:at], b.grams)
			grams[at], b.grams = own, grams
		}
	}
	return f(counted)
}

// Train learns doc as class. If it was learned as another class, it is moved.
func (b *Batch) Train(class string, doc Document) error { return b.do(&doc, class, b.delta.Add) }

// Forget removes doc, whatever class it was learned as. A document that is not in the ledger is removed
// from a given class by Delta().Take.
func (b *Batch) Forget(doc Document) error { return b.do(&doc, "", b.delta.Take) }

// Relabel moves doc, which must have been learned, to class, which may be new.
func (b *Batch) Relabel(class string, doc Document) error { return b.do(&doc, class, b.delta.Move) }

// Len returns the number of documents in the batch.
func (b *Batch) Len() int { return b.delta.Len() }

// Reset empties the batch.
func (b *Batch) Reset() {
	b.delta, b.grams = store.Delta{Keep: b.delta.Keep, OnlyNew: b.delta.OnlyNew}, nil
}

// Delta returns the changes of the batch in the form that can be sent to another database. Through it
// documents are forgotten and relabelled by their ids alone; Keep sets the ledger mode of the
// documents that the batch trains, and OnlyNew leaves those as they are that the ledger knows. It
// is valid until the batch is changed.
func (b *Batch) Delta() *store.Delta { return &b.delta }
