package rows

import (
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Loader adds documents of the log to an overlay that nobody reads yet.
type Loader struct {
	*Overlay
	Key  *table.Key
	Want *Wanted                  // nil adds all terms
	From func(hash uint64) uint64 // the position up to which a table holds every record

	found []found // of the document in hand
}

// found is a term that is wanted, with how often it occurs.
type found struct {
	*wantedTerm
	n uint8
}

// Begin makes an overlay without terms. Documents are added afterwards, and then the overlay
// is finished.
func (l *Loader) Begin() {
	l.Overlay = NewOverlay()
	if l.Want != nil {
		for i := range l.Want.terms {
			t := &l.Want.terms[i]
			t.from, t.changes, t.seq = l.From(t.hash), nil, 0
		}
	}
}

// Add adds the document of the record at position seq, of class, sign times.
func (l *Loader) Add(doc *encoded.Document, class uint32, sign int64, seq uint64) {
	if l.Want != nil {
		l.found = l.found[:0]
		w := doc.EachLike(&l.Want.shapes, func(term []byte, n uint8) {
			if t := l.Want.find(term); t != nil && t.from < seq {
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
		hash := l.Key.Hash(term)
		if from := l.From(hash); from < seq {
			l.Overlay.Add(&Step{Hash: hash, Term: term, Class: class, Sign: sign, N: n, W: count.WeightOf(&w, term, n), Docs: unknown, All: unknown}, At{From: from, Seq: seq, Loading: true})
		}
	})
}

// Finish returns the overlay with all documents.
func (l *Loader) Finish() *Overlay {
	if l.Want != nil {
		for i := range l.Want.terms {
			if t := &l.Want.terms[i]; t.seq > 0 {
				l.Overlay.put(t)
			}
		}
	}
	return l.Overlay
}
