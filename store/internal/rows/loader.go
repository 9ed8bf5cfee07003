package rows

import (
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Loader adds documents of the log to an overlay that nobody reads yet.
type Loader struct {
	overlay *Overlay // nil with want; Finish makes it then
	key     *table.Key
	want    *Wanted
	from    func(hash uint64) uint64

	found []found // of the document in hand
}

// found is a wanted term, with the number of its occurrences.
type found struct {
	*wantedTerm
	n uint8
}

// NewLoader returns a Loader of the terms in want, or of all if that is nil. from returns the
// position up to which the table of a hash holds every record.
func NewLoader(key *table.Key, want *Wanted, from func(hash uint64) uint64) *Loader {
	l := &Loader{key: key, want: want, from: from}
	if want == nil { // else it is made when it is known how many there are
		l.overlay = NewOverlay()
		return l
	}
	for i := range want.terms {
		t := &want.terms[i]
		t.from, t.changes, t.seq = from(t.hash), nil, 0
	}
	return l
}

// Add adds the document of the record at position seq, of class, sign times.
func (l *Loader) Add(doc *encoded.Document, class uint32, sign int64, seq uint64) {
	if l.want != nil {
		l.found = l.found[:0]
		w := doc.EachLike(&l.want.shapes, func(term []byte, n uint8) {
			if t := l.want.find(term); t != nil && t.from < seq {
				l.found = append(l.found, found{t, n})
			}
		})
		for _, t := range l.found {
			t.add(class, sign, t.n, count.WeightOf(&w, t.term, t.n), seq)
		}
		return
	}
	w, _ := doc.Weights()
	doc.Each(func(term []byte, n uint8) {
		hash := l.key.Hash(term)
		if from := l.from(hash); from < seq {
			l.overlay.Add(&Step{Hash: hash, Term: term, Class: class, Sign: sign, N: n, W: count.WeightOf(&w, term, n), Docs: unknown, All: unknown}, At{From: from, Seq: seq})
		}
	})
}

// Finish returns the overlay with all documents.
func (l *Loader) Finish() *Overlay {
	if l.want != nil {
		found := 0
		for i := range l.want.terms {
			if l.want.terms[i].seq > 0 {
				found++
			}
		}
		l.overlay = NewSmallOverlay(found)
		for i := range l.want.terms {
			if t := &l.want.terms[i]; t.seq > 0 {
				l.overlay.put(t.hash, t.term, t.changes, t.seq)
			}
		}
	}
	return l.overlay
}
