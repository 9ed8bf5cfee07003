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
}

// Add adds the document of the record at position seq, of class, sign times.
func (l *Loader) Add(doc *encoded.Document, class uint32, sign int64, seq uint64) {
	var w [count.MaxCount + 1]uint64
	weighed := false
	doc.Each(func(term []byte, n uint8) {
		if l.Want != nil && !l.Want.looksLike(term) {
			return
		}
		hash := l.Key.Hash(term)
		if l.Want != nil && !l.Want.hashes[hash] {
			return
		}
		from := l.From(hash)
		if from >= seq {
			return
		}
		if !weighed {
			w, _ = doc.Weights()
			weighed = true
		}
		l.Overlay.Add(&Step{Hash: hash, Term: term, Class: class, Sign: sign, N: n, W: count.WeightOf(&w, term, n), Docs: unknown, All: unknown}, At{From: from, Seq: seq})
	})
}
