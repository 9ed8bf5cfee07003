// Package similar scores documents by how well they fit into a set given by a few examples, against the
// background of all counted documents: the Bayesian sets of Z. Ghahramani and K. A. Heller (NIPS 2005),
// and a score for texts.
package similar

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

var (
	errNoDocuments = errors.New("the database has learned no documents; train it first")
	errNoKnownTerm = errors.New("no document given has a term that the database knows and that some documents lack; train the database on ordinary documents first")
)

// options are the prior of a set of documents.
//
// The background is the D counted documents of all classes; D_k of them have the term k,
// so a background document has it with probability m_k = D_k/D. In the set the term has
// an unknown rate θ_k, as in the Beta–Bernoulli model of the paper, with c and w:
//
//	θ_k ~ Beta(α_k, β_k),  α_k = c m_k,  β_k = c (1 - m_k)    with probability w
//	θ_k = m_k                                                 with probability 1 - w
//
// so that most terms are assumed to be as frequent in the set as in the background. The
// paper has w = 1 and c = 2, with which the longest documents rank last whatever their subject.
type options struct {
	strength float64 // c > 0, the weight of the background in documents if a rate is the set's own
	share    float64 // w, 0 < w ≤ 1, the probability that a term's rate is the set's own
}

var (
	// defaults were chosen on half of the classes of the training part of 20 Newsgroups;
	// benchmarks/README.md has their effect.
	defaults = options{strength: 10, share: 0.05}

	// bayesianSets are those with which Similarity.LogRatio is the score of the paper.
	bayesianSets = options{strength: 2, share: 1}
)

// Set is a set of documents, given by examples, against the background of all counted
// documents.
//
// A document x has (x_k = 1) or lacks (x_k = 0) each term of the vocabulary V. Its log
// ratio under a set Q of N documents, S_k of which have the term k, is
//
//	log p(x|Q)/p(x) = Σ_{k∈V} lack_k + Σ_{k∈V} x_k q_k,   q_k = has_k - lack_k
//
//	has_k  = log p(x_k=1|Q)/p(x_k=1) = log(1 + v_k (S_k/m_k - N)/(c+N))
//	lack_k = log p(x_k=0|Q)/p(x_k=0) = log(1 + v_k ((N-S_k)/(1-m_k) - N)/(c+N))
//
// where v_k is the posterior probability that θ_k is the set's own,
//
//	v = w B / (w B + (1-w) m^S (1-m)^(N-S))
//	B = Γ(α+S)/Γ(α) Γ(β+N-S)/Γ(β) Γ(c)/Γ(c+N)
//
// Two kinds of terms are left out of all sums: those that no class has, since their frequency in the
// background is unknown, and those that every document has, m_k = 1, since the background allows only
// the rate 1. Counted documents of the set are part of the background like others.
type Set struct {
	options
	n        int                // N
	weights  map[string]float64 // q of the terms in the sums
	constant float64            // Σ_k lack_k: the LogRatio of a document without terms
}

// New returns the set with examples docs, of which a repeated one counts twice, with the paper's prior
// or a better one. It is an error if nothing was learned, or if no term of docs has a weight.
func New(ctx context.Context, db *store.DB, docs []count.Document, paper bool) (*Set, error) {
	if paper {
		return newSet(ctx, db, docs, bayesianSets)
	}
	return newSet(ctx, db, docs, defaults)
}

func newSet(ctx context.Context, db *store.DB, docs []count.Document, o options) (*Set, error) {
	q, in, known := &Set{options: o, n: len(docs), weights: map[string]float64{}}, map[string]int{}, false
	for i := range docs {
		for _, t := range docs[i].Terms {
			in[string(t.Term)]++
		}
	}
	type counts struct {
		df uint64 // D_k
		s  int    // S_k
	}
	terms := map[counts]float64{} // how many there are of each kind
	err := db.View(func(s *store.Snapshot) error {
		all := s.Documents()
		if all == 0 {
			return errNoDocuments
		}
		err := s.Scan(false, func(name []byte, cells []count.Cell) error {
			if k := (counts{term.Frequency(cells), in[string(name)]}); k.df > 0 && k.df < all && !count.OfChannel(name) {
				has, lack := q.odds(float64(k.df)/float64(all), k.s)
				q.weights[string(name)] = has - lack
				terms[k]++
				known = known || k.s > 0
			}
			return ctx.Err()
		})
		// In order, so that the sum does not depend on that of the scan.
		for _, k := range slices.SortedFunc(maps.Keys(terms), func(a, b counts) int { return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(a.s, b.s)) }) {
			_, lack := q.odds(float64(k.df)/float64(all), k.s)
			q.constant += terms[k] * lack
		}
		return err
	})
	if err == nil && !known {
		err = errNoKnownTerm
	}
	return q, err
}

// odds returns the log ratios for a document that has, and one that lacks, a term with
// share m in the background, 0 < m < 1, and s of the set's documents.
func (q *Set) odds(m float64, s int) (has, lack float64) {
	n, lacks, v := float64(q.n), q.n-s, 1.
	if q.share < 1 {
		own := numeric.LogRising(q.strength*m, s) + numeric.LogRising(q.strength*(1-m), lacks) - numeric.LogRising(q.strength, q.n)
		same := float64(s)*math.Log(m) + float64(lacks)*math.Log1p(-m)
		v = 1 / (1 + math.Exp(same-own)*(1-q.share)/q.share)
	}
	v /= q.strength + n
	return math.Log1p(v * (float64(s)/m - n)), math.Log1p(v * (float64(lacks)/(1-m) - n))
}

// Similarity is how well a document fits a set.
type Similarity struct {
	// Score ranks documents, the higher the more similar, in nats per term^0.75:
	//
	//	Σ_k log₂(1+x_k) q_k / n^0.75
	//
	// over the n terms, where the k-th occurs x_k times. Without the divisor long
	// documents would rank first or last. 0 if n is 0.
	Score float64

	// LogRatio is log p(x|Q)/p(x) in nats: above 0 the document is more probable in the set
	// than in the background. Terms are assumed to be independent, so it is overconfident.
	LogRatio float64

	// Terms is the number n of distinct terms of the document that are in the sums of the set.
	Terms int
}

// Score returns how well a document with these terms fits the set.
func (q *Set) Score(terms []count.TermCount) Similarity {
	l := Similarity{LogRatio: q.constant}
	for _, t := range terms {
		if weight, ok := q.weights[string(t.Term)]; ok {
			l.LogRatio += weight
			l.Score += math.Log1p(float64(t.N)) / math.Ln2 * weight
			l.Terms++
		}
	}
	l.Score /= math.Pow(max(float64(l.Terms), 1), .75)
	return l
}
