// Package similar searches, for a command, for the documents that fit best into a set given
// by a few examples, against the background of all counted documents of any class: the
// Bayesian sets of Z. Ghahramani and K. A. Heller (NIPS 2005), and a score for texts.
package similar

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

var (
	errNoDocuments = errors.New("the database has learned no documents; train it first")
	errNoKnownTerm = errors.New("no document given has a term that the database knows and that some documents lack")
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
// paper has w = 1 and c = 2. With five documents a term that none of them has then
// contributes -log(1 + 5/2) = -1.25 nats to every document that has it, and the longest
// documents rank last whatever their subject.
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
// documents. Score returns how well any document fits it.
//
// A document x has (x_k = 1) or lacks (x_k = 0) each term of the vocabulary V. Its log
// ratio under a set Q of N documents, S_k of which have the term k, is
//
//	log p(x|Q)/p(x) = Σ_{k∈V} lack_k + Σ_{k∈V} x_k q_k,   q_k = has_k - lack_k
//
//	has_k  = log p(x_k=1|Q)/p(x_k=1) = log(1 + v_k (S_k/m_k - N)/(c+N))
//	lack_k = log p(x_k=0|Q)/p(x_k=0) = log(1 + v_k ((N-S_k)/(1-m_k) - N)/(c+N))
//
// where v_k is the posterior probability that θ_k is the set's own: w p(S_k|own)
// against (1-w) p(S_k|m_k). With w = 1 that is the paper's
//
//	q_k = log(1 + S_k/α_k) - log(1 + (N-S_k)/β_k)
//	lack_k = log(α_k+β_k) - log(α_k+β_k+N) + log(β_k+N-S_k) - log β_k
//
// Two kinds of terms are left out of all sums: terms that no class has, since their
// frequency in the background is unknown, and terms that every document has, m_k = 1,
// since the background allows only the rate 1. Counted documents of the set are part of
// the background like others.
//
// A Set keeps the counts from when it was made, except the m_k of terms that none of its
// documents has: these are looked up for each document scored. It is safe for concurrent
// use while its database is open.
type Set struct {
	db        *store.DB
	prior     prior
	documents uint64  // D
	constant  float64 // Σ_k lack_k: the LogRatio of a document without terms
	terms     []Term
	weights   map[string]float64 // q of terms
	absent    map[uint64]float64 // by D_k: q of terms in no document of the set
}

// Term is one term of a Set's documents with its counts and its weight.
type Term struct {
	Term      string
	InSet     int     // S_k, documents of the set that have it
	Documents uint64  // D_k, documents counted that have it
	Weight    float64 // q_k in nats: the log ratio of having it minus the log ratio of lacking it
}

// newSet returns the set with examples docs, of which a repeated one counts twice. It scans all
// rows once; scoring does not.
//
// The error is errNoDocuments if nothing was learned, errNoKnownTerm if no term of docs has a
// weight, or that of ctx if it has ended.
func newSet(ctx context.Context, db *store.DB, docs []count.Document, o options) (*Set, error) {
	q := &Set{db: db, prior: prior{o, len(docs)}}
	err := db.View(func(s *store.Snapshot) error {
		if q.documents = s.Documents(); q.documents == 0 {
			return errNoDocuments
		}
		if err := q.read(s, docs); err != nil {
			return err
		}
		return q.readBackground(ctx, s)
	})
	if err != nil {
		return nil, err
	}
	q.weights = make(map[string]float64, len(q.terms))
	for _, t := range q.terms {
		q.weights[t.Term] = t.Weight
	}
	slices.SortFunc(q.terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Term, b.Term))
	})
	return q, nil
}

// read looks up the terms of the set's documents.
func (q *Set) read(s *store.Snapshot, docs []count.Document) error {
	in := make(map[string]int)
	for i := range docs {
		for _, t := range docs[i].Terms {
			if !count.OfChannel(t.Term) {
				in[string(t.Term)]++
			}
		}
	}
	terms := make([]count.TermCount, 0, len(in))
	for name := range in {
		terms = append(terms, count.TermCount{Term: []byte(name), N: 1})
	}
	slices.SortFunc(terms, func(a, b count.TermCount) int { return slices.Compare(a.Term, b.Term) })
	err := s.Rows(terms, false, func(i int, cells []count.Cell) error {
		df := term.Frequency(cells)
		if !q.weighs(df) {
			return nil
		}
		name := string(terms[i].Term)
		has, lack := q.prior.odds(q.share(df), in[name])
		q.constant += lack
		q.terms = append(q.terms, Term{name, in[name], df, has - lack})
		return nil
	})
	if err == nil && len(q.terms) == 0 {
		return errNoKnownTerm
	}
	return err
}

// readBackground scans all rows for the terms in no document of the set.
func (q *Set) readBackground(ctx context.Context, s *store.Snapshot) error {
	terms := make(map[uint64]int) // by D_k
	err := s.Scan(false, func(name []byte, cells []count.Cell) error {
		if !count.OfChannel(name) {
			terms[term.Frequency(cells)]++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, t := range q.terms {
		terms[t.Documents]--
	}
	frequencies := make([]uint64, 0, len(terms))
	for df := range terms {
		if q.weighs(df) {
			frequencies = append(frequencies, df)
		}
	}
	slices.Sort(frequencies) // so that the sum does not depend on the order of a map
	q.absent = make(map[uint64]float64, len(frequencies))
	for _, df := range frequencies {
		has, lack := q.prior.odds(q.share(df), 0)
		q.absent[df] = has - lack
		q.constant += float64(terms[df]) * lack
	}
	return nil
}

// share returns m of a term that df documents have.
func (q *Set) share(df uint64) float64 { return float64(df) / float64(q.documents) }

// weighs returns whether a term that df documents have is in the sums.
func (q *Set) weighs(df uint64) bool { return df > 0 && df < q.documents }

// weight returns q of a term with these counts, and whether it is in the sums.
func (q *Set) weight(name []byte, cells []count.Cell) (weight float64, ok bool) {
	df := term.Frequency(cells)
	if weight, ok = q.weights[string(name)]; ok || !q.weighs(df) {
		return weight, ok
	}
	weight, ok = q.absent[df]
	if !ok { // learned since
		has, lack := q.prior.odds(q.share(df), 0)
		weight = has - lack
	}
	return weight, true
}
