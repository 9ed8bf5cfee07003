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

// Document is a document to learn or to classify.
type Document struct {
	// ID identifies the document: what is learned twice with the same ID is learned
	// once, and forgetting and relabelling go by it. Classifying does without.
	// Classifier.Document makes it of the text, so that equal texts are one document.
	ID count.DocID

	// Bag holds the terms. It is only read; nil is a document without terms.
	Bag *tokenize.Bag

	// Attributes are its named values beside the words, each name once; see
	// Attribute.
	Attributes []count.Attribute

	// Time is when it was learned; the zero time stands for now.
	Time time.Time

	// Source names where its class comes from; it may be empty.
	Source string
}

// ContentID returns the first 16 bytes of the SHA-256 of content: the ID of a document that
// has no better one, or of a key of the program's own.
func ContentID(content []byte) count.DocID {
	sum := sha256.Sum256(content)
	return count.DocID(sum[:16])
}

// Counted returns doc as the database counts it, as a document of class. Its terms
// point into the Bag.
func (doc *Document) Counted(class string) count.Document {
	d := count.Document{ID: doc.ID, Class: class, Time: doc.Time, Source: doc.Source, Attributes: doc.Attributes}
	if d.Time.IsZero() {
		d.Time = time.Now()
	}
	d.Terms = appendTerms(nil, doc.Bag)
	return d
}

// AppendTerms appends the terms of doc, which point into its Bag, to dst.
func (doc *Document) AppendTerms(dst []count.TermCount) []count.TermCount {
	return appendTerms(dst, doc.Bag)
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

// errNoID is the error of a Batch for a document without an ID.
var errNoID = fmt.Errorf("document without an ID: %w", count.ErrInvalid)

// do gives doc, for class, to a method of the Delta.
func (doc *Document) do(class string, f func(count.Document) error) error {
	if doc.ID == (count.DocID{}) {
		return errNoID
	}
	return f(doc.Counted(class))
}

// Batch gathers what is to be done with many documents, so that Apply does all
// of it in one transaction, or nothing. The zero value is empty.
type Batch struct {
	delta store.Delta
}

// Keep sets what the ledger keeps of the documents that the batch trains,
// instead of what the database keeps of others.
func (b *Batch) Keep(l count.Ledger) { b.delta.Keep = l }

// Train learns doc as class. If it was learned as another, it is moved.
func (b *Batch) Train(class string, doc Document) error {
	if err := count.CheckClass(class); err != nil {
		return err
	}
	return doc.do(class, b.delta.Add)
}

// TrainNew is Train for a document that the ledger does not know, and nothing for others.
func (b *Batch) TrainNew(class string, doc Document) error {
	if err := count.CheckClass(class); err != nil {
		return err
	}
	return doc.do(class, b.delta.AddNew)
}

// Forget takes doc away, whatever class it was learned as.
func (b *Batch) Forget(doc Document) error { return doc.do("", b.delta.Take) }

// ForgetAs takes doc away from class. Only so can a document be forgotten of
// which the ledger keeps nothing.
func (b *Batch) ForgetAs(class string, doc Document) error { return doc.do(class, b.delta.Take) }

// Relabel moves doc, which must have been learned, to class.
func (b *Batch) Relabel(class string, doc Document) error {
	if err := count.CheckClass(class); err != nil {
		return err
	}
	return doc.do(class, b.delta.Move)
}

// ForgetID takes away the document of that id, without its text.
func (b *Batch) ForgetID(id count.DocID) { b.delta.Forget(id) }

// RelabelID moves the document of that id to class, without its text.
func (b *Batch) RelabelID(class string, id count.DocID) error {
	if err := count.CheckClass(class); err != nil {
		return err
	}
	return b.delta.Relabel(id, class)
}

// Len is the number of documents in the batch.
func (b *Batch) Len() int { return b.delta.Len() }

// Size is about how many bytes of memory the batch takes.
func (b *Batch) Size() int { return b.delta.Size() }

// Reset empties the batch.
func (b *Batch) Reset() { b.delta.Reset() }

// Delta returns what the batch does to the counts, in the form that can be sent
// to another database. It is valid until the batch is changed.
func (b *Batch) Delta() *store.Delta { return &b.delta }
