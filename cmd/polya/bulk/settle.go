package bulk

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/gob"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/tally"
)

// Settled says what became of the documents of a shard.
type Settled struct {
	Shard     int
	Documents int // that were read
	Learned   int
	Moved     int
	Already   int
	Counts    tally.Piece // of classes and attributes
	Errors    []string
	Differ    int   // ids that sources give to different documents
	First     Named // the first document of these
	Failed    string
}

// portion is a part of the counts and documents of a shard, for one file of the dump.
type portion struct {
	Counts    tally.Piece
	Documents []document // of the ledger
}

// document is a tally.Document on its way.
type document struct {
	Class string
	Data  []byte
}

// copied is one of the copies of a document.
type copied struct {
	name *Named
	doc  tally.Document
}

// Settle counts the documents of a shard, given in packs that come in any order: of copies of
// one document those that a training in the order of their places would leave. A pack that
// comes twice counts once. Emit is called with portions for the parts of the dump, all of
// which get some.
func (t *Training) Settle(shard int, packs iter.Seq[[]byte], emit func(part int, portion []byte) error) (*Settled, error) {
	documents, sample, err := unpack(packs)
	if err != nil {
		return nil, fmt.Errorf("documents of shard %d: %w", shard, err)
	}
	s := &Settled{Shard: shard, Documents: len(documents)}
	sum := tally.New()
	var kept []document
	for len(documents) > 0 {
		n := 1
		for n < len(documents) && documents[n].doc.ID() == documents[0].doc.ID() {
			n++
		}
		d, err := s.settle(t, sum, documents[:n])
		if err != nil {
			s.Failed = err.Error() // Finish knows better what is wrong
			sum, kept = tally.New(), nil
			break
		}
		kept = append(kept, document{d.Class, d.Bytes()})
		documents = documents[n:]
	}
	s.Learned, s.Moved, s.Already = sum.Learned, sum.Moved, sum.Already
	pieces, err := sum.Pieces(t.bounds(sample))
	if err != nil {
		return nil, err
	}
	s.Counts = pieces[0]
	for part := 1; part < t.parts()-1; part++ {
		if part == t.attributes() {
			continue // of Finish
		}
		data, err := encode(portion{Counts: pieces[min(part, len(pieces)-1)]}) // lines of documents need but the names of classes
		if err == nil {
			err = emit(part, data)
		}
		if err != nil {
			return nil, err
		}
	}
	if t.Ledger == count.LedgerNone {
		return s, nil
	}
	return s, emitDocuments(kept, func(data []byte) error { return emit(t.attributes()+1+shard, data) })
}

// unpack returns the documents of packs by id, and in the order of training, and a sample of
// the terms of all shards.
func unpack(packs iter.Seq[[]byte]) (all []copied, sample map[string]bool, err error) {
	sample = map[string]bool{}
	for data := range packs {
		var p pack
		var d store.Delta
		if err := errors.Join(decode(data, &p), d.UnmarshalBinary(p.Delta)); err != nil {
			return nil, nil, err
		}
		for _, term := range p.Sample {
			sample[term] = true
		}
		if d.Len() != len(p.Names) {
			return nil, nil, fmt.Errorf("%w: %d documents with %d names", count.ErrInvalid, d.Len(), len(p.Names))
		}
		i := 0
		var failed error
		d.Each(func(_ count.DocID, class string, e *store.Encoded) {
			doc, err := tally.Parse(class, e.Bytes())
			failed = errors.Join(failed, err)
			all = append(all, copied{&p.Names[i], doc})
			i++
		})
		if failed != nil {
			return nil, nil, failed
		}
	}
	compare := func(a, b copied) int {
		x, y := a.doc.ID(), b.doc.ID()
		return cmp.Or(bytes.Compare(x[:], y[:]), a.name.compare(b.name))
	}
	slices.SortFunc(all, compare)
	return slices.CompactFunc(all, func(a, b copied) bool { return compare(a, b) == 0 }), sample, nil
}

func (n *Named) compare(other *Named) int {
	return cmp.Or(cmp.Compare(n.Input, other.Input), cmp.Compare(n.Number, other.Number))
}

// settle counts a document with these copies, and returns what the ledger has of it.
func (s *Settled) settle(t *Training, sum *tally.Tally, copies []copied) (tally.Document, error) {
	docs := make([]tally.Document, len(copies))
	for i := range copies {
		docs[i] = copies[i].doc
	}
	before := sum.Conflicts
	kept, err := sum.Learn(t.Ledger, docs...)
	for range sum.Conflicts - before {
		s.Errors = append(s.Errors, learning.Stays(copies[len(copies)-1].name.Path).Error())
	}
	if t.Ledger == count.LedgerNone {
		return kept, err // every document is learned
	}
	for _, c := range copies[1:] {
		if c.name.GivenID != "" && (c.doc.Digest() != docs[0].Digest() || c.doc.Class != docs[0].Class) {
			if s.Differ++; s.Differ == 1 || c.name.compare(&s.First) < 0 {
				s.First = *c.name
			}
			break
		}
	}
	return kept, err
}

// bounds returns terms that divide all terms in t.Shards ranges of about the same size.
func (t *Training) bounds(sample map[string]bool) []string {
	sorted := slices.Sorted(maps.Keys(sample))
	bounds := make([]string, t.Shards-1)
	for i := range bounds {
		if len(sorted) > 0 {
			bounds[i] = sorted[(i+1)*len(sorted)/t.Shards]
		}
	}
	return bounds
}

// emitDocuments calls emit with documents, packed.
func emitDocuments(kept []document, emit func([]byte) error) error {
	for pack := range slices.Chunk(kept, packDocuments) {
		data, err := encode(portion{Documents: pack})
		if err == nil {
			err = emit(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packDocuments is the number of documents that travel at once after they are counted.
const packDocuments = 4096

// repeats is the note about ids that different documents share, "" if there are none.
func repeats(all []*Settled) string {
	var first *Named
	n := 0
	for _, s := range all {
		if s.Differ > 0 && (first == nil || s.First.compare(first) < 0) {
			first = &s.First
		}
		n += s.Differ
	}
	if n == 0 {
		return ""
	}
	return reading.RepeatsNote(n, reading.RepeatedID(first.Path, first.GivenID), first.Row)
}

// encode returns v in the form that decode reads, compressed to a third: some runners
// hold everything that passes between machines in memory.
func encode(v any) ([]byte, error) {
	var data bytes.Buffer
	w, err := flate.NewWriter(&data, flate.BestSpeed)
	if err == nil {
		err = errors.Join(gob.NewEncoder(w).Encode(v), w.Close())
	}
	return data.Bytes(), err
}

func decode(data []byte, to any) error {
	return gob.NewDecoder(flate.NewReader(bytes.NewReader(data))).Decode(to)
}
