package model

import (
	"fmt"
)

// Attributes is the event model of the named values that documents carry beside
// their words. Given the class they are taken to be independent of one another and
// of the words (naive Bayes), so that the score of class c is
//
//	Σ_a log p(x_a | c)    over the attributes a of the document
//
// An attribute that a document lacks, or one that no document has been learned
// with, contributes nothing, and so does a category that no class has. p is, by the kind
// of the attribute,
//
//	category  (n_cv + α) / (n_c + α K)   n_cv documents of class c with category v, of
//	                                     n_c that have the attribute; K categories are
//	                                     known of all classes together (Dirichlet)
//	yesno     (n_cv + α) / (n_c + 2 α)   (Beta)
//	real      see Density                (Gaussian)
//	uniform   n_c / ((n_c + 1) m_c)      for x ≤ m_c, and beyond it
//	          n_c m_c^n_c / ((n_c + 1) x^(n_c + 1))
//	                                     m_c the greatest value in class c (Pareto)
//
// All are predictive probabilities under the conjugate prior; see package conjugate.
//
// Beside words each attribute is a Component of its own of the model that answers,
// with a weight that is fitted like those of the others. With raw probabilities
// (classify.Options.Raw) a single model and its attributes have all weights 1: the mixed
// naive Bayes.
type Attributes struct {
	// Estimator is how categories and yes-or-nos are estimated: PosteriorMean, which
	// DefaultEstimator is here, as above; PosteriorMode with α - 1 for α, or
	// MaximumLikelihood without. Reals go by Density, uniforms have the density 1/m_c
	// up to m_c, and 0 beyond, by both.
	Estimator Estimator

	// Alpha is α, above 0. Zero means DefaultAttributeAlpha.
	Alpha float64

	// Proportional gives each category its own prior parameter, in proportion to its
	// share in all classes together, in place of the same α: α K n_v/n, of yes and no
	// 2 α n_v/n, with n_v of all n documents. Their sum is as before. A class of few
	// documents is then taken to be like all classes together, rather than to
	// have all categories alike. It goes with PosteriorMean alone.
	Proportional bool

	// Density is that of reals.
	Density Density

	// Shared takes the variance of a real to be the same in all classes, estimated from
	// the deviations from each class's own mean: with Gaussian that is linear discriminant
	// analysis (Murphy 2012, section 4.2.2), and log-odds are linear in the value; with
	// SampleGaussian the divisor is n less the number of classes; with StudentT the
	// Normal-gamma prior is as before, with one precision for all classes.
	Shared bool

	// Background is λ, 0 to 1: the share of p(x) = Σ_b π_b p(x|b) that is mixed into
	// each class's own (Jelinek-Mercer), π_b the share of class b in the documents that
	// have the attribute,
	//
	//	(1-λ) p(x|c) + λ p(x)
	//
	// so that one attribute is worth at most log(1 + (1-λ)/(λ π_c)) for class c,
	// however far out x lies: densities are not to be believed there. A class of which
	// no document has the attribute has p(x) itself. 0 is none, and .05
	// where the answer is calibrated.
	Background float64
}

// DefaultAttributeAlpha is a tenth of a document a category. Laplace's rule, 1, drowns what
// is known of classes of few documents where categories are many: on mail with all of
// package mail's attributes .1 gives a log loss of .0253 (SpamAssassin) and 1.683 (Enron's
// folders), 1 gives .0261 and 1.689.
const DefaultAttributeAlpha = .1

// defaultBackground is λ for answers that are calibrated. Without one, the number of
// attachments, 0 in nearly all mail, outvoted all words of the few messages with many
// (SpamAssassin, three folds: of ham at .1 % false positives 94 % of spam was missed,
// 7.4 % with it); breast cancer's log loss is .094 with it and .138 without. Between
// .02 and .1 there is no difference to speak of.
const defaultBackground = .05

// Name returns "attributes", with the parameters that are not the default.
func (m Attributes) Name() string { return modelName("attributes", m.parameters()...) }

// The parameters that are words beside the densities and estimators.
const (
	sharedName       = "shared"
	proportionalName = "proportional"
)

func (m Attributes) parameters() []string {
	density, shared, proportional := "", "", ""
	if m.Density != StudentT {
		density = m.Density.String()
	}
	if m.Shared {
		shared = sharedName
	}
	if m.Proportional {
		proportional = proportionalName
	}
	return []string{m.Estimator.shown(PosteriorMean), proportional, density, shared,
		shownAmount("alpha", m.Alpha, DefaultAttributeAlpha), shownAmount("jm", m.Background, 0)}
}

// check returns what is wrong with the parameters.
func (m Attributes) check() error {
	if m.Density > SampleGaussian {
		return fmt.Errorf("there is no %v", m.Density)
	}
	if !(m.Background >= 0 && m.Background <= 1) {
		return fmt.Errorf("jm=%v: want a share of the background, 0 to 1", m.Background)
	}
	if m.Proportional && m.Estimator != DefaultEstimator && m.Estimator != PosteriorMean {
		return fmt.Errorf("%s goes with mean alone, not with %v", proportionalName, m.Estimator)
	}
	return m.Estimator.check("alpha", m.Alpha, DefaultAttributeAlpha)
}

// Levels returns false.
func (Attributes) Levels() bool { return false }
