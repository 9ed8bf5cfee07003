package model

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Attributes is the event model of the named values that documents have beside their
// words. Given the class they are assumed to be independent of one another and of the
// words (naive Bayes), so the score of class c is
//
//	Σ_a log p(x_a | c)    over the attributes a of the document
//
// An attribute that the document lacks, or that no learned document has, contributes
// nothing, and neither does a category that no class has. p is, by the kind of the
// attribute,
//
//	category  (n_cv + α) / (n_c + α K)   n_cv documents of class c with category v, of
//	                                     n_c that have the attribute; K categories are
//	                                     known of all classes together (Dirichlet)
//	yesno     (n_cv + α) / (n_c + 2 α)   (Beta)
//	real      Student's t, see real (Normal-gamma)
//	uniform   n_c / ((n_c + 1) m_c)      for x ≤ m_c, and beyond it
//	          n_c m_c^n_c / ((n_c + 1) x^(n_c + 1))
//	                                     m_c the greatest value in class c (Pareto)
//
// All are predictive probabilities under the conjugate prior.
//
// In addition to words each attribute is a Component of the model that answers, with a
// fitted weight like the others. With raw probabilities (classify.Options.Raw) a single
// model and its attributes all have weight 1: mixed naive Bayes.
type Attributes struct {
	// Alpha is α, above 0. Zero means DefaultAttributeAlpha.
	Alpha float64

	// Background is λ, 0 to 1: the share of p(x) = Σ_b π_b p(x|b) that is mixed into
	// each class's own (Jelinek-Mercer), π_b the share of class b in the documents that
	// have the attribute,
	//
	//	(1-λ) p(x|c) + λ p(x)
	//
	// so that one attribute contributes at most log(1 + (1-λ)/(λ π_c)) for class c, however
	// extreme x is, where densities are unreliable. A class without documents that have the
	// attribute has p(x) itself. 0 is none, and .05 if the answer is calibrated.
	Background float64

	// only is the name of the only attribute that is read, of this kind; "" reads all.
	only string
	kind count.Kind
}

// DefaultAttributeAlpha is a tenth of a document per category. Laplace's rule, 1, dominates
// the counts of small classes if there are many categories.
const DefaultAttributeAlpha = .1

// defaultBackground is λ for answers that are calibrated. Without a background, the number
// of attachments, 0 in nearly all mail, outweighed all words of the few messages with many.
const defaultBackground = .05

// Name returns "attributes", with the parameters that are not the default. The model of a single
// attribute has its kind and its name, since a fit for an attribute does not apply to another
// kind of it; Parse does not read that.
func (m Attributes) Name() string {
	base := "attributes"
	if m.only != "" {
		base = fmt.Sprintf("attribute %s %s", m.kind, m.only)
	}
	return modelName(base, shownAmount("alpha", m.Alpha, DefaultAttributeAlpha), shownAmount("jm", m.Background, 0))
}

// check returns an error for invalid parameters.
func (m Attributes) check() error {
	if m.Background != 0 && !(m.Background >= minAmount && m.Background <= 1) {
		return fmt.Errorf("jm=%v: want a share of the background, 0 to 1", m.Background)
	}
	return checkAmount("alpha", cmp.Or(m.Alpha, DefaultAttributeAlpha))
}

const (
	// attributeFit bounds n² C for n attributes with weights of their own, and C classes:
	// the cost of a fitting step for each document. More attributes share a weight.
	attributeFit = 1 << 13

	// aloneWeight and besideWeight are the unfitted weights of an attribute in a database
	// without words and with words.
	aloneWeight  = 0.5
	besideWeight = 0.2
)

// WithAttributes returns the stack with a component for each attribute of t, or one for
// all of them if they are many; unless raw, with a background. A stack with a Layer gets
// one of attributes too.
func (m Stack) WithAttributes(t Totals, raw bool) Stack {
	if len(t.Attributes) == 0 {
		return m
	}
	given := m.reads
	if given.Background == 0 && !raw {
		given.Background = defaultBackground
	}
	weight := besideWeight
	if t.Vocabulary == 0 {
		weight = aloneWeight
	}
	m.Components = slices.Clone(m.Components)
	layered := slices.ContainsFunc(m.Components, Component.IsLayer)
	if n := len(t.Attributes); n*n*len(t.Classes) > attributeFit {
		m.Components = append(m.Components, Component{Model: given, Weight: weight})
	} else {
		for _, a := range t.Attributes {
			given.only, given.kind = a.Name, a.Kind
			m.Components = append(m.Components, Component{Model: given, Weight: weight})
		}
	}
	if layered {
		m.Components = append(m.Components, Component{Model: Layer{Attributes: true}, Weight: weight})
	}
	return m
}
