// Package evaluation runs classifiers on labelled documents and reports what the
// measures of classify/eval say of their answers: on documents that were set aside,
// in folds, on a stream, and as the training set grows. A program reads the documents
// into a Corpus; an Experiment learns and asks; Report holds all that came of it, for
// people, programs and plots.
package evaluation

import (
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
)

// Version is that of the JSON form of Report. It changes whenever a field changes its
// meaning or goes; new fields may come without.
const Version = 1

// The methods of an evaluation.
const (
	MethodHeldOut     = "held out"    // learn one set of documents, ask about another
	MethodFolds       = "folds"       // every document is asked about in one fold, learned in the others
	MethodPrequential = "prequential" // every document is asked about, then learned
)

// Report is what an evaluation found. Numbers that there are not, such as the area
// under a curve without positives or an infinite loss, are NaN or ±Inf here, and null
// in JSON.
type Report struct {
	Version  int    `json:"version"`
	Method   string `json:"method"`
	Folds    int    `json:"folds,omitempty"` // of MethodFolds
	Seed     uint64 `json:"seed"`
	Order    string `json:"order,omitempty"` // of MethodPrequential: in words
	Analyzer string `json:"analyzer"`

	// Trained and Tested are numbers of documents. In folds and on a stream they
	// are nearly the same documents.
	Trained int `json:"trained"`
	Tested  int `json:"tested"`

	// Skipped are documents of a stream that were learned without an answer,
	// because nothing was learned before.
	Skipped int `json:"skipped"`

	// Copies are documents given for learning that are copies of others, and so
	// were not learned again.
	Copies int `json:"copies"`

	// Raw says that posteriors are those of the event models as they are, not
	// calibrated.
	Raw bool `json:"raw"`

	// Threshold is the probability below which an answer is unsure.
	Threshold float64 `json:"threshold"`

	// Classes are in order of name; their indices are those of the Results and
	// of Model.Confusion.
	Classes []Class `json:"classes"`

	// Positive is the class that is looked for, empty if there are not two and
	// none was named.
	Positive string `json:"positive,omitempty"`

	// Notes are sentences on what to mind when reading the numbers.
	Notes []string `json:"notes"`

	// Models are in the order in which they were asked for; the baseline, named
	// "logistic", comes last.
	Models []*Model `json:"models"`

	// Comparisons has every pair of Models once.
	Comparisons []Comparison `json:"comparisons"`

	// Curve is nil if none was asked for.
	Curve *Curve `json:"curve,omitempty"`

	// Terms has an entry for each class that was learned. In folds, and on a
	// stream, it is told from all documents.
	Terms []ClassTerms `json:"terms,omitempty"`

	// Densities is nil unless two classes were learned, with terms.
	Densities *Densities `json:"densities,omitempty"`

	// Presence is nil if no term was learned.
	Presence *Presence `json:"presence,omitempty"`

	// Run is what the report does not depend on, for people.
	Run Run `json:"-"`
}

// Run says what was run, when, on what. What is not known is empty.
type Run struct {
	Title   string
	Data    []string // the paths of the documents, each after what they are for
	Time    time.Time
	Program string // its name and version
	Command string // its arguments, as a shell takes them
}

// DefaultModel is the model whose details come first: auto if it was asked, else the
// first. It is nil if there is no model.
func (r *Report) DefaultModel() *Model {
	for _, m := range r.Models {
		if m.Name == (classify.Auto{}).Name() {
			return m
		}
	}
	if len(r.Models) == 0 {
		return nil
	}
	return r.Models[0]
}

// Class is a class and its documents.
type Class struct {
	Name    string `json:"name"`
	Trained int    `json:"trained"`
	Tested  int    `json:"tested"`
}

// Model is what came of one event model, or of the baseline.
type Model struct {
	Name string `json:"name"`

	// Results are the answers, in the order of testing. What is said is always
	// a class, the most probable one unless there are costs: whether it is sure
	// is in Unsure.
	Results *eval.Results `json:"-"`

	// Unsure says of each answer whether it should not be acted on.
	Unsure []bool `json:"-"`

	Accuracy Interval `json:"accuracy"`
	MacroF1  Number   `json:"macro_f1"`
	MicroF1  Number   `json:"micro_f1"`

	// LogLoss is clipped at eval.Epsilon, in nats. Exact is not clipped, and
	// infinite if the truth was ever given probability 0, which happened Zeros
	// times.
	LogLoss Interval `json:"log_loss"`
	Exact   Number   `json:"log_loss_exact"`
	Zeros   int      `json:"log_loss_zeros"`

	Brier Number `json:"brier"`

	// ECE is that of the most probable class, in eval.Bins bins of equal width.
	ECE Number `json:"ece"`

	// UnsureRate is the share of answers that are unsure, SureAccuracy the
	// share of the others that are right.
	UnsureRate   Number `json:"unsure_rate"`
	SureAccuracy Number `json:"sure_accuracy"`

	// MeanCost is what the answers have cost, on the average; nil if there are no
	// costs. An unsure answer costs Costs.Unsure, or what its class would if that
	// is 0.
	MeanCost *Number `json:"mean_cost,omitempty"`

	// Positive is nil if there is no positive class.
	Positive *Positive `json:"positive,omitempty"`

	// Classes are the measures of each class against all others.
	Classes []ClassMeasures `json:"classes"`

	// Confusion[i][j] is the number of documents of class i that were said to be
	// of class j.
	Confusion [][]int `json:"confusion"`

	// Confusions are the greatest numbers beside the diagonal of Confusion.
	Confusions []Confused `json:"confusions"`

	// Reliability is the diagram of the probabilities of what was said, and, if
	// there is a positive class, PositiveReliability that of its probability.
	Reliability         []Bin `json:"reliability"`
	PositiveReliability []Bin `json:"positive_reliability,omitempty"`

	// Variance is that of the prior of the baseline's weights; 0 for others.
	// In folds it is that of the last fold.
	Variance float64 `json:"variance,omitempty"`

	// Seconds is how long the baseline took to fit; 0 for others.
	Seconds float64 `json:"seconds,omitempty"`
}

// Positive are the measures of the search for one class.
type Positive struct {
	OneMinusROCAPercent Number   `json:"one_minus_roca_percent"`
	LAMPercent          Number   `json:"lam_percent"`
	BestError           Number   `json:"best_error"`
	Missed              []Missed `json:"missed"`
}

// Missed is the share of the positives that is missed where no more than FPR of the
// negatives may be called positive.
type Missed struct {
	FPR       float64 `json:"fpr"`
	FNR       Number  `json:"fnr"`
	Threshold Number  `json:"log_odds"` // from which on a document is called positive
}

// ClassMeasures are the measures of one class.
type ClassMeasures struct {
	Class               string `json:"class"`
	Support             int    `json:"support"`
	Precision           Number `json:"precision"`
	Recall              Number `json:"recall"`
	F1                  Number `json:"f1"`
	OneMinusROCAPercent Number `json:"one_minus_roca_percent"`
	AveragePrecision    Number `json:"average_precision"`
}

// Confused is a number of documents of one class that were said to be of another.
type Confused struct {
	Class string `json:"class"`
	Said  string `json:"said"`
	Docs  int    `json:"docs"`
}

// Bin is an eval.Bin, with the bounds of the 95 % interval of its frequency.
type Bin struct {
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
	Docs        int     `json:"docs"`
	Probability float64 `json:"probability"`
	Frequency   float64 `json:"frequency"`

	FrequencyLow  float64 `json:"frequency_low"`
	FrequencyHigh float64 `json:"frequency_high"`
}

// NewBin returns b with its interval.
func NewBin(b eval.Bin) Bin {
	low, high := b.Interval()
	return Bin{b.Low, b.High, b.Docs, b.Probability, b.Frequency, low, high}
}

// Interval is a measure with the bounds of its 95 % bootstrap interval.
type Interval struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// Comparison is McNemar's test of two models, and the bootstrap interval of the
// difference of their accuracies and of their log losses, A's less B's.
type Comparison struct {
	A        string   `json:"a"`
	B        string   `json:"b"`
	OnlyA    int      `json:"only_a"` // documents that only A has right
	OnlyB    int      `json:"only_b"`
	P        Number   `json:"p"`
	Accuracy Interval `json:"accuracy"`
	LogLoss  Interval `json:"log_loss"`
}

// The kinds of Curve.
const (
	CurveHeldOut = "held out" // each point is a test of the same documents
	CurveRunning = "running"  // each point is the mean over all documents of the stream so far
)

// Curve is how the measures change with the number of documents learned.
type Curve struct {
	Kind   string       `json:"kind"`
	Points []CurvePoint `json:"points"`
}

// CurvePoint is what was measured after Docs documents were learned.
type CurvePoint struct {
	Docs   int           `json:"docs"`
	Models []CurveValues `json:"models"` // in the order of Report.Models
}

// CurveValues are the measures of one model at one point of a curve.
type CurveValues struct {
	Name     string   `json:"name"`
	Accuracy Interval `json:"accuracy"`
	LogLoss  Interval `json:"log_loss"` // clipped at eval.Epsilon
	MacroF1  Number   `json:"macro_f1"` // NaN in a running curve

	// OneMinusROCAPercent is of the positive class; NaN if there is none, and in
	// a running curve.
	OneMinusROCAPercent Number `json:"one_minus_roca_percent"`
}

// ClassTerms are the terms that stand out in one class.
type ClassTerms struct {
	Class string `json:"class"`

	// ByProbability are those of which the class has most occurrences,
	// ByInformation those whose presence in a document says most of whether it
	// is of the class, of those that are more frequent in it than elsewhere.
	ByProbability []Term `json:"by_probability"`
	ByInformation []Term `json:"by_information"`
}

// Term is a term and its counts in a class.
type Term struct {
	Term string `json:"term"`

	// Probability is the share of the term in the occurrences of all terms of
	// the class, TF / N.
	Probability float64 `json:"probability"`

	// Information is the mutual information of the term's presence and the
	// class, in nats.
	Information float64 `json:"information"`

	Docs      uint64 `json:"docs"`      // of the class that have the term
	Elsewhere uint64 `json:"elsewhere"` // documents of other classes that have it
}

// Densities say how the probabilities of terms are distributed in two classes, each
// as a histogram over bins of equal width that the two classes share.
type Densities struct {
	// Probability is of log((TF + α) / (N + αV)), natural logarithm, of each
	// term of the class, every term of the class weighing the same.
	Probability DensityPair `json:"log_probability"`

	// Ratio is of log θ_t1 - log θ_t0, the second class against the first, where
	// θ is as in Probability and a term weighs as much as its share in the
	// class: what one word of a document of the class says.
	Ratio DensityPair `json:"log_ratio"`
}

// DensityPair are the histograms of two classes over the same bins.
type DensityPair struct {
	// Edges are the bounds of the bins, one more than there are bins.
	Edges   []float64 `json:"edges"`
	Classes []Density `json:"classes"`
}

// Density is a histogram whose bars have an area of 1 together.
type Density struct {
	Class string    `json:"class"`
	Bars  []float64 `json:"bars"`
}
