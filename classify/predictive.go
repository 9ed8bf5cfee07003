package classify

import (
	"errors"
	"maps"

	"github.com/polya-classifier/polya/classify/conjugate"
	"github.com/polya-classifier/polya/store"
)

// LanguageModel says what the next token of a class is: the Dirichlet–multinomial
// predictive of its bag of words,
//
//	p(t | c) = (n_ct + α) / (N_c + α(V+1))
//
// with n_ct the occurrences of term t in class c, N_c those of all terms, and V the
// vocabulary of all classes. The type V+1 is unk, which stands for all other terms: its
// count is what Prune has dropped of the class, Class.Dropped. The probabilities of the
// V terms and of unk sum to 1. (K. Murphy, Machine Learning: A Probabilistic
// Perspective, 2012, section 3.4.4.1.)
//
// Closed is the model without unk, over the V terms alone,
//
//	p(t | c) = (n_ct + α) / (N_c - Dropped + αV)
//
// which is what Multinomial scores with.
type LanguageModel struct {
	prior           conjugate.Symmetric
	tokens, dropped uint64
	closed          bool
}

// NewLanguageModel returns the model of a class, with the vocabulary of all classes.
// It is an error if alpha is not above 0, at most 1e9.
func NewLanguageModel(class *store.Class, vocabulary uint64, alpha float64) (LanguageModel, error) {
	return LanguageModel{
		prior:   conjugate.Symmetric{Alpha: alpha, K: vocabulary + 1},
		tokens:  class.Tokens,
		dropped: class.Dropped,
	}, checkAmount("alpha", alpha)
}

// Closed returns the model of a closed vocabulary: there are no terms but those V, and
// what Prune has dropped was never there. It is an error if there are none.
func (m LanguageModel) Closed() (LanguageModel, error) {
	switch {
	case m.closed:
		return m, nil
	case m.prior.K == 1:
		return m, errors.New("a closed vocabulary needs a term")
	}
	m.prior.K--
	m.tokens, m.dropped, m.closed = m.tokens-m.dropped, 0, true
	return m, nil
}

// Alpha returns α.
func (m LanguageModel) Alpha() float64 { return m.prior.Alpha }

// Tokens is the number of tokens that the model has learned from, unk's included.
func (m LanguageModel) Tokens() uint64 { return m.tokens }

// LogEvidence returns the log evidence of the class's tokens: the natural logarithm of
// the probability that the model, having learned nothing, gives to all of them in a
// row, by which values of α are compared. terms[n] is the number of terms that
// occur n times in the class; zeros may be left out.
func (m LanguageModel) LogEvidence(terms map[uint64]uint64) float64 {
	if m.closed || m.dropped == 0 {
		return m.prior.LogMarginalOf(terms)
	}
	types := maps.Clone(terms)
	types[m.dropped]++
	return m.prior.LogMarginalOf(types)
}

// Term returns what is known of the probability of a term of the vocabulary that
// occurs n times in the class. Its Mean is p(t | c), its StdDev the standard error.
func (m LanguageModel) Term(n uint64) conjugate.Beta { return m.prior.Marginal(n, m.tokens) }

// Unknown returns what is known of the probability of unk, as Term does. A closed
// vocabulary has no unk.
func (m LanguageModel) Unknown() conjugate.Beta { return m.Term(m.dropped) }

// Dropped is the count of unk.
func (m LanguageModel) Dropped() uint64 { return m.dropped }
