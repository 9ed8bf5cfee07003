package language

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/conjugate"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Model predicts the next token of a class: the Dirichlet–multinomial predictive
// of its bag of words,
//
//	p(t | c) = (n_ct + α) / (N_c + Σ α)
//
// with n_ct the occurrences of term t in class c, and N_c the occurrences of all terms.
// Its types are the V terms of the vocabulary of all classes, and unk, which stands for
// all other terms: its count is the occurrences that store.DB.Prune has dropped from the
// class, Class.Dropped. The probabilities of the V terms and of unk sum to 1. (K. Murphy,
// Machine Learning: A Probabilistic Perspective, 2012, section 3.4.4.1.)
//
// Closed is the model without unk, over the V terms alone: the distribution of
// model.Multinomial.
type Model struct {
	alpha           float64
	types           uint64
	tokens, dropped uint64
	closed          bool
}

// MaxAlpha bounds α so that the sum of the parameters is finite.
const MaxAlpha = 1e9

// NewModel returns the model of a class, with the vocabulary of all classes.
// It is an error if alpha is not above 0, at most 1e9.
func NewModel(class *count.Class, vocabulary uint64, alpha float64) (Model, error) {
	if !(alpha > 0 && alpha <= MaxAlpha) {
		return Model{}, fmt.Errorf("alpha=%v: want a number above 0, at most %v", alpha, MaxAlpha)
	}
	return Model{
		alpha:   alpha,
		types:   vocabulary + 1,
		tokens:  class.Tokens,
		dropped: class.Dropped,
	}, nil
}

// Closed returns the model of a closed vocabulary: only the V terms exist, and terms that
// store.DB.Prune has dropped never occurred. It returns an error if V is 0.
func (m Model) Closed() (Model, error) {
	switch {
	case m.closed:
		return m, nil
	case m.types == 1:
		return m, errors.New("a closed vocabulary needs a term")
	}
	m.types--
	m.tokens, m.dropped, m.closed = m.tokens-m.dropped, 0, true
	return m, nil
}

// Alpha returns α.
func (m Model) Alpha() float64 { return m.alpha }

// Tokens returns the number of tokens that the model has learned from, including those of unk.
func (m Model) Tokens() uint64 { return m.tokens }

// Dropped returns the count of unk.
func (m Model) Dropped() uint64 { return m.dropped }

// Term returns the posterior of the probability of a term of the vocabulary that occurs n
// times in the class. Its Mean is p(t | c), its StdDev the standard error.
func (m Model) Term(n uint64) conjugate.Beta {
	return conjugate.Beta{A: m.alpha, B: m.alpha * float64(m.types-1), Yes: n, No: m.tokens - n}
}

// Unknown returns the posterior of the probability of unk. A closed
// vocabulary has no unk.
func (m Model) Unknown() conjugate.Beta { return m.Term(m.dropped) }

// LogEvidence returns the log evidence of the class's tokens: the natural logarithm of the
// probability that the untrained model gives to the sequence of all of them. It compares
// values of α. terms[n] is the number of terms that occur n times; terms that the class
// lacks may be left out.
func (m Model) LogEvidence(terms map[uint64]uint64) float64 {
	types := maps.Clone(terms)
	if !m.closed {
		types[m.dropped]++
	}
	sum := 0.0
	for _, n := range slices.Sorted(maps.Keys(types)) {
		sum += float64(types[n]) * numeric.LogRising(m.alpha, int(n))
	}
	return sum - numeric.LogRising(m.alpha*float64(m.types), int(m.tokens))
}
