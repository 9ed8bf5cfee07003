package language

import (
	"cmp"
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
//	p(t | c) = (n_ct + α_t) / (N_c + Σ α_t)
//
// with n_ct the occurrences of term t in class c, and N_c the occurrences of all terms.
// Its types are the V terms of the vocabulary of all classes, and unk, which stands for
// all other terms: its count is the occurrences that store.DB.Prune has dropped from the
// class, Class.Dropped. The probabilities of the V terms and of unk sum to 1. (K. Murphy,
// Machine Learning: A Probabilistic Perspective, 2012, section 3.4.4.1.)
//
// The parameters α_t are all the same α, and Proportional makes them unequal. Closed is
// the model without unk, over the V terms alone; with equal α it is the distribution of
// model.Multinomial.
type Model struct {
	alpha           float64
	types           uint64
	tokens, dropped uint64
	closed          bool

	// For unequal parameters: the tokens of all classes, and the dropped ones among them.
	unequal            bool
	allTokens, allLost uint64
}

// Occurrences are the numbers of occurrences of a term in the class of a Model and
// in all classes together.
type Occurrences struct {
	Class, All uint64
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

// Proportional returns the model with unequal parameters of the same sum, α times the
// number of types: each is proportional to the occurrences of the type in all the given
// classes, with one added for unk. So a class of few tokens is assumed to resemble all
// classes, rather than to have uniform probabilities (C. Zhai and J. Lafferty, A study of
// smoothing methods for language models, 2004, section 3: μ is α times the types).
func (m Model) Proportional(classes []*count.Class) Model {
	m.unequal, m.allTokens, m.allLost = true, 0, 0
	for _, c := range classes {
		m.allTokens += c.Tokens
		m.allLost += c.Dropped
	}
	return m
}

// Alpha returns α, for unequal parameters their mean.
func (m Model) Alpha() float64 { return m.alpha }

// Tokens returns the number of tokens that the model has learned from, including those of unk.
func (m Model) Tokens() uint64 { return m.tokens }

// Dropped returns the count of unk.
func (m Model) Dropped() uint64 { return m.dropped }

// Term returns the posterior of the probability of a term of the vocabulary with these
// occurrences. Its Mean is p(t | c), its StdDev the standard error. Without Proportional
// n.All is ignored.
func (m Model) Term(n Occurrences) conjugate.Beta {
	own, all := m.parameter(n.All)
	return conjugate.Beta{A: own, B: all - own, Yes: n.Class, No: m.tokens - n.Class}
}

// parameter returns the parameter of a type that occurs n times in all classes, n ignored
// if all are equal, and the sum of all parameters.
func (m Model) parameter(n uint64) (own, all float64) {
	all = m.alpha * float64(m.types)
	if !m.unequal {
		return m.alpha, all
	}
	of := m.allTokens - m.allLost
	if !m.closed {
		of = m.allTokens + 1
	}
	return all * (float64(n) / float64(of)), all
}

// Unknown returns the posterior of the probability of unk. A closed
// vocabulary has no unk.
func (m Model) Unknown() conjugate.Beta { return m.Term(m.unknown()) }

func (m Model) unknown() Occurrences { return Occurrences{m.dropped, m.allLost + 1} }

// LogEvidence returns the log evidence of the class's tokens: the natural logarithm of the
// probability that the untrained model gives to the sequence of all of them. It compares
// values of α, and equal with unequal parameters. terms[n] is the number of terms with
// occurrences n; terms that the class lacks may be left out.
func (m Model) LogEvidence(terms map[Occurrences]uint64) float64 {
	types := maps.Clone(terms)
	if !m.closed {
		types[m.unknown()]++
	}
	keys := slices.SortedFunc(maps.Keys(types), func(a, b Occurrences) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.All, b.All))
	})
	sum := 0.0
	_, all := m.parameter(0)
	for _, n := range keys {
		if n.Class > 0 {
			own, _ := m.parameter(n.All)
			sum += float64(types[n]) * numeric.LogRising(own, int(n.Class))
		}
	}
	return sum - numeric.LogRising(all, int(m.tokens))
}
