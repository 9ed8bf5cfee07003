package rows

import (
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/encoded"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Loader adds documents of the log to an overlay that nobody reads yet.
type Loader struct {
	*Overlay // without terms at first; Finish makes it if there is Want
	Key      *table.Key
	Want     *Wanted                  // nil adds all terms
	From     func(hash uint64) uint64 // the position up to which a table holds every record
	Fold     *Fold                    // the sum of earlier documents, or nil

	found []found // of the document in hand
}

// found is a wanted term, with the number of its occurrences.
type found struct {
	*wantedTerm
	n uint8
}

// Begin adds the fold. It is called first, then Add for each document, then Finish. It
// returns table.ErrCorrupt if the fold is damaged, and must then be called again without
// it.
func (l *Loader) Begin() (err error) {
	if l.Want == nil {
		return l.Fold.Each(l.Key, l.From, func(hash uint64, term []byte, changes []Change) {
			l.Overlay.put(hash, term, changes, l.Fold.Seq())
		})
	}
	var arena []Change
	if l.Fold != nil {
		arena = make([]Change, 0, len(l.Want.terms))
	}
	for i := range l.Want.terms {
		t := &l.Want.terms[i]
		t.from, t.changes, t.seq = l.From(t.hash), nil, 0
		if l.Fold == nil || t.from >= l.Fold.Seq() {
			continue
		}
		first := len(arena)
		if arena, err = l.Fold.find(arena, t.hash, t.term); err != nil {
			return err
		}
		if t.changes = arena[first:len(arena):len(arena)]; len(t.changes) > 0 {
			t.seq = l.Fold.Seq()
		}
	}
	return nil
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
			l.Overlay.Add(&Step{Hash: hash, Term: term, Class: class, Sign: sign, N: n, W: count.WeightOf(&w, term, n), Docs: unknown, All: unknown}, At{From: from, Seq: seq}, nil)
		}
	})
}

// Finish returns the overlay with all documents.
func (l *Loader) Finish() *Overlay {
	if l.Want != nil {
		found := 0
		for i := range l.Want.terms {
			if l.Want.terms[i].seq > 0 {
				found++
			}
		}
		l.Overlay = NewSmallOverlay(found)
		for i := range l.Want.terms {
			if t := &l.Want.terms[i]; t.seq > 0 {
				l.Overlay.put(t.hash, t.term, t.changes, t.seq)
			}
		}
	}
	return l.Overlay
}
