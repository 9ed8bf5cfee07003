package store

import (
	"encoding/binary"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/summed"
	"github.com/polya-classifier/polya/store/internal/wire"
)

// Delta is the change that a set of documents makes to the counts of a database. Deltas are
// additive: one of many documents, many of one, and their Merge leave the same counts. The
// zero value changes nothing. A Delta is built by one goroutine; applied, it is only read.
type Delta struct {
	// Keep overrides the ledger mode of the database for the documents added by this Delta,
	// unless it is 0.
	Keep count.Ledger

	// OnlyNew makes Add learn only documents that the ledger does not know, and change nothing
	// else.
	OnlyNew bool

	steps []step
	bytes int // of the documents of steps
	sums  []summed.Documents

	origins []layout.Origin // of sums
	listed  bool            // all documents of the sums are listed
	again   bool            // add them also if they were added before
	overlap overlap         // what to do about documents of the sums that the ledger knows
}

// A step does something with one document.
type step struct {
	kind  stepKind
	class string // where to; for stepTake where from, "" is wherever it is
	id    count.DocID
	doc   *encoded.Document // nil with a bare id or an entry
	entry *stored.Entry     // of a stepNote without doc: count.LedgerDigest
	note  []byte
}

type stepKind uint8

const (
	stepAdd     stepKind = 1 // learn it, or move it here
	stepTake    stepKind = 2 // forget it, with its counts if the ledger lacks them
	stepMove    stepKind = 3 // move it here; it must have been learned
	stepForget  stepKind = 4 // forget it: a bare id
	stepRelabel stepKind = 5 // move it here: a bare id
	stepNote    stepKind = 6 // its counts are among the sums: enter it in the ledger
	stepNew     stepKind = 8 // learn it, unless the ledger knows it
)

// Add learns doc. A document that was learned as another class is moved; see also
// Applied.Conflicts. One that was learned as the same class counts once: with the counts that
// have the least digest, if the ledger keeps those of both, so that copies may come in any
// order, and otherwise with the first. doc is copied, and its Terms are sorted in place.
func (d *Delta) Add(doc count.Document) error {
	if d.OnlyNew {
		return d.addDocument(stepNew, &doc)
	}
	return d.addDocument(stepAdd, &doc)
}

// Take forgets doc, which was learned as doc.Class, or as any class if that is empty. The
// counts subtracted are the ledger's, if it keeps them, and else those of doc, which must
// match the ledger's digest.
func (d *Delta) Take(doc count.Document) error { return d.addDocument(stepTake, &doc) }

// Move makes doc, which must have been learned, one of doc.Class. Its counts are taken
// from the ledger, or from doc where the ledger keeps a digest.
func (d *Delta) Move(doc count.Document) error { return d.addDocument(stepMove, &doc) }

// Forget forgets the document with this id, whose counts the ledger must keep.
func (d *Delta) Forget(id count.DocID) { d.add(step{kind: stepForget, id: id}) }

// Relabel moves the document with this id, whose counts the ledger must keep, to class.
func (d *Delta) Relabel(id count.DocID, class string) error {
	if err := count.CheckClassName(class); err != nil {
		return err
	}
	d.add(step{kind: stepRelabel, class: class, id: id})
	return nil
}

func (d *Delta) addDocument(kind stepKind, doc *count.Document) error {
	if kind != stepTake || doc.Class != "" {
		if err := count.CheckClassName(doc.Class); err != nil {
			return err
		}
	}
	b, err := encoded.Encode(doc)
	if err == nil {
		d.add(documentStep(kind, doc.Class, b))
	}
	return err
}

func (d *Delta) add(s step) {
	d.steps = append(d.steps, s)
	if s.doc != nil {
		d.bytes += len(s.doc.Raw)
	}
}

func documentStep(kind stepKind, class string, doc *encoded.Document) step {
	return step{kind: kind, class: class, id: doc.ID, doc: doc}
}

// Note keeps a note with the document of this number in d if it is new to the ledger. It takes
// the place of one of at most 512 older ones; forgetting or moving its document drops it.
// Notes are part of neither the wire form of d nor a dump; Snapshot.Notes has them.
func (d *Delta) Note(document int, note []byte) { d.steps[document].note = note }

// Each calls f for every document that d names, in order: with the class that d gives it, or
// "" if d forgets it, and with the document, nil where d has only the id. It may be kept.
func (d *Delta) Each(f func(id count.DocID, class string, doc *Encoded)) {
	for i := range d.steps {
		switch s := &d.steps[i]; s.kind {
		case stepAdd, stepNew, stepMove, stepRelabel:
			f(s.id, s.class, s.doc)
		default:
			f(s.id, "", nil)
		}
	}
}

// Encoded is a document of a Delta as the Delta holds it. Nobody may change it. Raw are its bytes;
// see FORMAT.md, "Document".
type Encoded = encoded.Document

// Len returns the number of documents that d names.
func (d *Delta) Len() int { return len(d.steps) }

// stepSize is the memory of a step and its document, beside the document's bytes.
const stepSize = 320

// Size returns the approximate number of bytes of memory that d takes.
func (d *Delta) Size() int {
	n := d.bytes + stepSize*len(d.steps)
	for i := range d.sums {
		n += d.sums[i].Size()
	}
	return n
}

// Merge appends what other, which is not changed, does to what d does, under d's Keep.
func (d *Delta) Merge(other *Delta) {
	d.steps = append(d.steps, other.steps...)
	d.bytes += other.bytes
	d.sums = append(d.sums, other.sums...)
}

const (
	deltaMagic   = "PLYD"
	deltaVersion = 2
)

// MarshalBinary returns the wire form of d; see FORMAT.md, "Delta".
func (d *Delta) MarshalBinary() ([]byte, error) {
	b := append(append(make([]byte, 0, d.Size()), deltaMagic...), deltaVersion, byte(d.Keep))
	b = binary.AppendUvarint(b, uint64(len(d.steps)))
	for i := range d.steps {
		s := &d.steps[i]
		b = append(b, byte(s.kind))
		b = wire.AppendPrefixed(b, s.class)
		if s.doc != nil {
			b = wire.AppendPrefixed(b, s.doc.Raw)
		} else {
			b = wire.AppendPrefixed(b, s.id[:])
		}
	}
	b = append(b, 0)
	return binary.LittleEndian.AppendUint32(b, wire.Checksum(b)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. For anything else the error is
// count.ErrInvalid.
func (d *Delta) UnmarshalBinary(data []byte) error {
	bad := fmt.Errorf("delta: %w", count.ErrInvalid)
	n := len(data) - 4
	if n < 6 || string(data[:4]) != deltaMagic || binary.LittleEndian.Uint32(data[n:]) != wire.Checksum(data[:n]) {
		return bad
	}
	if data[4] != deltaVersion {
		return fmt.Errorf("delta of version %d, this program reads version %d: %w", data[4], deltaVersion, count.ErrInvalid)
	}
	out := Delta{Keep: count.Ledger(data[5])}
	if out.Keep != 0 && !out.Keep.Valid() {
		return bad
	}
	r := &wire.Reader{Data: append([]byte(nil), data[6:n]...)}
	for range r.Count() {
		s := step{kind: stepKind(r.Byte()), class: string(r.Prefixed())}
		if data := r.Prefixed(); r.Bad || s.read(data) != nil {
			return bad
		}
		out.add(s)
	}
	if r.Byte() != 0 || !r.Whole() {
		return bad
	}
	*d = out
	return nil
}

// read sets what the step works with, or returns an error unless a method of Delta can have
// made the step.
func (s *step) read(data []byte) error {
	if s.class != "" || (s.kind != stepTake && s.kind != stepForget) {
		if err := count.CheckClassName(s.class); err != nil {
			return err
		}
	}
	copy(s.id[:], data)
	switch s.kind {
	case stepAdd, stepNew, stepTake, stepMove:
		doc, after, err := encoded.Parse(data)
		if err != nil || len(after) != 0 || !doc.Sorted() {
			return count.ErrInvalid
		}
		s.doc = &doc
		return nil
	case stepForget, stepRelabel:
		if len(data) == len(s.id) {
			return nil
		}
	}
	return count.ErrInvalid
}

// overlap says what happens to documents of the sums of a Delta that are in the ledger
// already.
type overlap uint8

const (
	overlapRefuse overlap = iota // none may be
	overlapOnce                  // they count once, and somebody must have the counts of each
	overlapTwice                 // they count once, or twice if nobody has the counts
)
