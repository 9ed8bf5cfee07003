// Package tally sums documents without a database, on many machines: Tallies exchange Pieces of
// their counts, and each writes a Section of one dump.
package tally

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Tally sums documents. After an error it is useless.
type Tally struct {
	Learned, Moved, Already int // what Learn has done, as in store.Applied
	Conflicts               int

	sum        *rows.Tally
	attributes *attributes.Changes
	classes    map[string]*count.Class
	byID       []*count.Class
}

// Document is a document of a class.
type Document struct {
	Class string
	doc   *encoded.Document
}

// Parse reads the bytes of a document, which are kept. The error is count.ErrInvalid.
func Parse(class string, data []byte) (Document, error) {
	doc, after, err := encoded.Parse(data)
	if err != nil || len(after) > 0 || !doc.Sorted() || count.CheckClassName(class) != nil {
		return Document{}, count.ErrInvalid
	}
	return Document{class, &doc}, nil
}

// Bytes returns what Parse reads.
func (d *Document) Bytes() []byte { return d.doc.Raw }

// ID returns the id.
func (d *Document) ID() count.DocID { return d.doc.ID }

// Digest is a hash of the counts. It does not depend on id, class, time and source.
func (d *Document) Digest() uint64 { return d.doc.Digest() }

// New returns a Tally of no documents.
func New() *Tally {
	var key table.Key
	rand.Read(key[:]) // or the sender of documents could give all terms one slot
	return &Tally{sum: rows.NewTally(&key), attributes: attributes.NewChanges(layout.Tx{}), classes: make(map[string]*count.Class)}
}

func (t *Tally) class(name string) *count.Class {
	c := t.classes[name]
	if c == nil {
		c = &count.Class{ID: count.ClassID(len(t.byID)), Name: name}
		t.classes[name] = c
		t.byID = append(t.byID, c)
	}
	return c
}

// Classes returns all classes, in order of name. They may change when documents are added.
func (t *Tally) Classes() []*count.Class {
	return slices.SortedFunc(slices.Values(t.byID), func(a, b *count.Class) int { return strings.Compare(a.Name, b.Name) })
}

// Learn counts a document of which these are all copies, in the order of training, and returns
// it as a database with that ledger would keep it (store.Delta.Add). Without a ledger all of
// them count, and the last is returned. The error names the document.
func (t *Tally) Learn(ledger count.Ledger, copies ...Document) (Document, error) {
	kept := copies[0]
	t.Learned++
	for _, d := range copies[1:] {
		moves := d.Class != kept.Class
		switch {
		case ledger == count.LedgerNone:
			t.Learned++
			if err := t.learn(&kept); err != nil {
				return kept, err
			}
			kept = d
			continue
		case ledger == count.LedgerFull:
			kept = Document{d.Class, encoded.Meet(kept.doc, d.doc, moves)}
		case !moves:
		case d.Digest() == kept.Digest():
			kept = d
		default:
			t.Conflicts++
			continue
		}
		if moves {
			t.Moved++
		} else {
			t.Already++
		}
	}
	return kept, t.learn(&kept)
}

func (t *Tally) learn(d *Document) error {
	c := t.class(d.Class)
	weights, weight := d.doc.Weights()
	t.sum.AddDocument(d.doc, &weights, uint32(c.ID), 1)
	rows.AddDocument(c, d.doc, weight, 1)
	rows.AddPair(&c.Lengths, d.doc.Tokens, 1)
	if err := t.attributes.Add(d.doc, uint32(c.ID), 1); err != nil {
		return fmt.Errorf("document %s: %w", d.doc.ID, err)
	}
	return nil
}
