package similar

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Similarity is how well a document fits a Set.
type Similarity struct {
	// Score ranks documents, the higher the more similar, in nats per term^0.75:
	//
	//	Σ_k log₂(1+x_k) q_k / n^0.75
	//
	// over the n distinct terms of the document that are in the sums of the Set, where the
	// k-th occurs x_k times. Without the divisor long documents would rank first or last. 0
	// if n is 0.
	Score float64

	// LogRatio is log p(x|Q)/p(x) in nats: above 0 the document is more probable in the set
	// than in the background. Terms are assumed to be independent, so it is overconfident.
	LogRatio float64

	// Terms is n.
	Terms int
}

// lengthPower is the power of the length of a document by which Score divides.
const lengthPower = 0.75

// Score returns how well a document with these terms fits the set.
func (q *Set) Score(ctx context.Context, terms []count.TermCount) (Similarity, error) {
	l := Similarity{LogRatio: q.constant}
	err := q.look(ctx, terms, func(_ []byte, x int, weight float64) {
		l.Terms++
		l.LogRatio += weight
		l.Score += math.Log1p(float64(x)) / math.Ln2 * weight
	})
	if err != nil || l.Terms == 0 {
		return Similarity{LogRatio: q.constant}, err
	}
	l.Score /= math.Pow(float64(l.Terms), lengthPower)
	return l, nil
}

// Part is the contribution of one term of a document to its Similarity.
type Part struct {
	Term   string
	Count  int     // x_k, occurrences in the document
	Weight float64 // q_k in nats
}

// Explain returns the contributions to the Similarity of a document with these terms, in
// descending order of log₂(1+x_k) q_k, ties in byte order.
func (q *Set) Explain(ctx context.Context, terms []count.TermCount) ([]Part, error) {
	var parts []Part
	err := q.look(ctx, terms, func(term []byte, x int, weight float64) {
		parts = append(parts, Part{string(term), x, weight})
	})
	worth := func(p Part) float64 { return math.Log1p(float64(p.Count)) * p.Weight }
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(worth(b), worth(a)), strings.Compare(a.Term, b.Term))
	})
	return parts, err
}

// look calls f for each of the terms in the sums, in order, with its occurrences and q.
func (q *Set) look(ctx context.Context, terms []count.TermCount, f func(term []byte, x int, weight float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return q.db.View(func(s *store.Snapshot) error {
		return s.Rows(terms, false, func(i int, cells []count.Cell) error {
			if weight, ok := q.weight(terms[i].Term, cells); ok && !count.OfChannel(terms[i].Term) {
				f(terms[i].Term, int(terms[i].N), weight)
			}
			return nil
		})
	})
}
