// Package evaluation runs classifiers on labelled documents and reports the measures of
// classify/eval: on held-out documents, by cross-validation, on a stream, and with a
// growing training set. An Evaluation has the flags of a command and reads the documents into a
// Corpus, an experiment trains and tests on it, and a Report holds all results, which are written
// as text, as JSON, and as a page with figures drawn as SVG.
package evaluation

import (
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Version is the version of Report's JSON form. It changes when a field changes its
// meaning or is removed, not when one is added.
const Version = 4

// The methods of an evaluation.
const (
	MethodHeldOut     = "held out"    // train on one set of documents, test on another
	MethodFolds       = "folds"       // every document is tested in one fold and learned in the others
	MethodPrequential = "prequential" // every document is tested, then learned
)

// Number is a number of a report, null in JSON if it is NaN or infinite.
type Number = terminal.Number

// Report holds the results of an evaluation. Undefined numbers, such as the area under a
// curve without positives, are NaN and infinite losses ±Inf; in JSON both are null.
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

	// Copies is the number of training documents that are copies of others and so were not
	// learned again.
	Copies int `json:"copies"`

	// Raw says that posteriors are the event models' own, not calibrated.
	Raw bool `json:"raw"`

	// Tags are the measures of tags; Classes, Models and what is about them are empty then.
	Tags *eval.TagMeasures `json:"tags,omitempty"`

	// Classes are in order of name; Results and Model.Confusion use their indices.
	Classes []Class `json:"classes"`

	// Positive is the positive class, empty if none was named and there are not two classes.
	Positive string `json:"positive,omitempty"`

	// Notes are sentences on limits of the numbers.
	Notes []string `json:"notes"`

	// Models are in the order of Options.Models; the baseline, named "logistic", comes last.
	Models []*Model `json:"models"`

	// Comparisons are of the first of Models with each other.
	Comparisons []Comparison `json:"comparisons"`

	// Curve is how the measures change with the number of documents: on a stream the means over the
	// answers so far, else those of growing training sets, if that was asked for.
	Curve []CurvePoint `json:"curve,omitempty"`

	// Title has the names of the documents; Facts are names and values that describe the run. Both
	// are for the page; no result depends on them.
	Title string      `json:"-"`
	Facts [][2]string `json:"-"`
}

// shown returns the models of which more is printed: if there are many, auto or else the first.
func (r *Report) shown() []*Model {
	if len(r.Models) <= manyModels {
		return r.Models
	}
	at := slices.IndexFunc(r.Models, func(m *Model) bool { return m.Name == classify.Auto{}.Name() })
	return r.Models[max(at, 0):][:1]
}

// Class is a class and its documents.
type Class struct {
	Name    string `json:"name"`
	Trained int    `json:"trained"`
	Tested  int    `json:"tested"`
}

// Model holds the results of one event model or of the baseline.
type Model struct {
	Name string `json:"name"`

	// Results are the answers, in the order of testing. An answer always names a class.
	Results *eval.Results `json:"-"`

	Accuracy Interval `json:"accuracy"`
	MacroF1  Number   `json:"macro_f1"`

	// LogLoss is clipped at eval.Epsilon, in nats.
	LogLoss Interval `json:"log_loss"`

	Brier Number `json:"brier"`

	// ECE is the expected calibration error of the most probable class, in eval.Bins bins of
	// equal width.
	ECE Number `json:"ece"`

	// UnsureRate is the share of unsure answers, SureAccuracy the accuracy of the others.
	UnsureRate   Number `json:"unsure_rate"`
	SureAccuracy Number `json:"sure_accuracy"`

	// Positive is nil if there is no positive class.
	Positive *Positive `json:"positive,omitempty"`

	// Classes are the measures of each class against all others.
	Classes []ClassMeasures `json:"classes"`

	// Confusion[i][j] is the number of documents of class i that were answered as class j.
	Confusion [][]int `json:"confusion"`

	// Reliability is the diagram of the probabilities of the most probable classes.
	Reliability []eval.Bin `json:"reliability"`

	// Variance is the variance of the prior of the baseline's weights, with folds in the
	// last fold; 0 for other models.
	Variance float64 `json:"variance,omitempty"`
}

// Positive are the measures of detecting the positive class.
type Positive struct {
	OneMinusROCAPercent Number   `json:"one_minus_roca_percent"`
	LAMPercent          Number   `json:"lam_percent"`
	Missed              []Missed `json:"missed"`
}

// Missed is the share of positives missed at the threshold where at most FPR of the
// negatives are called positive.
type Missed struct {
	FPR       float64 `json:"fpr"`
	FNR       Number  `json:"fnr"`
	Threshold Number  `json:"log_odds"` // from which on a document is called positive
}

// ClassMeasures are the measures of one class.
type ClassMeasures struct {
	Class               string         `json:"class"`
	Support             int            `json:"support" text:"documents"`
	Precision           terminal.Share `json:"precision" text:"precision %"`
	Recall              terminal.Share `json:"recall" text:"recall %"`
	F1                  terminal.Share `json:"f1" text:"F1 %"`
	OneMinusROCAPercent Number         `json:"one_minus_roca_percent" text:"1-ROCA %" format:"%.4f"`
}

// Interval is a measure with the bounds of its 95 % bootstrap interval.
type Interval struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// String returns the value and its bounds with four decimals.
func (i Interval) String() string { return decimal(i.Value) + " " + span(i, decimal) }

// Comparison is McNemar's test of two models, and the bootstrap intervals of the
// differences of their accuracies and their log losses, A's less B's.
type Comparison struct {
	A        string   `json:"a"`
	B        string   `json:"b"`
	OnlyA    int      `json:"only_a" text:"only a"` // documents that only A classified correctly
	OnlyB    int      `json:"only_b" text:"only b"`
	P        Number   `json:"p" text:"McNemar p" format:"%.2g"`
	Accuracy Interval `json:"accuracy" text:"accuracy a-b"`
	LogLoss  Interval `json:"log_loss" text:"log loss a-b"`
}

// CurvePoint has the measures of each model, in the order of Report.Models, after so many documents.
type CurvePoint struct {
	Docs   int           `json:"docs"`
	Models []CurveValues `json:"models"`
}

// CurveValues are the measures of one model at one point of a curve.
type CurveValues struct {
	Name     string `json:"name"`
	Accuracy Number `json:"accuracy"`
	LogLoss  Number `json:"log_loss"` // clipped at eval.Epsilon
}
