// Package calibration holds the calibration of a database's event models: weights,
// biases, the distribution of log-odds among documents of other classes, the Zone of
// log-odds in which a filter for a class is unsure, and the Bounds of the evidence with which
// a document contradicts itself. Every process that answers reads it.
package calibration

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Calibration holds the models fitted to the calibration sample: learned documents, each
// scored without its own counts (leave-one-out).
type Calibration struct {
	// Documents is the number of learned documents in the snapshot that it was made from:
	// more may have been learned before it was stored.
	Documents uint64

	// Learned is the number of documents of each class in that snapshot, by class id, and
	// Sampled the number of them in the sample.
	Learned map[count.ClassID]uint64
	Sampled map[count.ClassID]int

	// Sample is the size of the sample.
	Sample int

	// Limit is the requested size of the sample, 0 if training chose it.
	Limit int

	// Chosen is the name of the model that answers by default.
	Chosen string

	// Layer is the checksum of the weights of the Layer that the models were fitted with,
	// 0 if none has weight.
	Layer uint64

	// WrongLabels is the estimated share of the documents of each class that have the label
	// of another, by class id; nil if the labels show none.
	WrongLabels map[count.ClassID]float64

	// Marks are the marks of the classes that have one, by class id; none with very many.
	Marks map[count.ClassID]Mark

	// Latest is the accuracy on the latest documents.
	Latest Latest

	// Models are the models fitted.
	Models []Model
}

// Model is an event model with its fitted parameters.
type Model struct {
	// Name is the model's name.
	Name string

	// Components are the names of its components with their tempering. A fit for other
	// components is invalid.
	Components []string

	// Documents is the number of documents learned when it was fitted; a model that training
	// does not fit is fitted on request.
	Documents uint64

	// Loss is its log loss on the sample: the mean of -log p(true class), in
	// nats, of calibrated posteriors.
	Loss float64

	// Weights are the weights of its components, a single one for a model that is not a Stack.
	Weights []float64

	// Bias is the bias of each class, by its id; nil if there are none.
	Bias map[count.ClassID]float64

	// Variance is the variance of the scale of the log-odds, whose mean is 1, from the sample.
	// Log-odds a of the most probable class become log(1 + Variance a)/Variance.
	Variance float64

	// Floor is the share of answers that are wrong at any confidence, 0 to 1: the upper
	// bound from the sample at 99 % confidence, or 0 if the sample has none.
	Floor float64

	// Seen is the number of known terms that nearly all documents of the sample have. A document
	// with fewer has log-odds reduced in proportion, since the sample does not show the value of
	// so few terms.
	Seen int

	// Tails holds for each class the greatest log-odds for it among documents of other
	// classes, from which the cut-off for a false-positive rate is read.
	Tails map[count.ClassID]Tail

	// Zones holds, for each class with a Tail, the log-odds at which it is unsure
	// whether a document is of the class.
	Zones map[count.ClassID]Zone

	// Bounds holds, for each class with a Tail and at least 100 documents of other classes in
	// the sample, the evidence for the class that these documents reach.
	Bounds map[count.ClassID]Bounds
}

// version changes with components or features, so that old fits are not used.
const version = 13

// maxFitted bounds weights and biases: Parse refuses larger ones. Fitted ones are at most ten.
const maxFitted = 1e6

// Model returns the fitted model of that name, or nil.
func (k *Calibration) Model(name string) *Model {
	if k == nil {
		return nil
	}
	for i := range k.Models {
		if k.Models[i].Name == name {
			return &k.Models[i]
		}
	}
	return nil
}

// Ranking returns the models in order of loss, the smallest first.
func (k *Calibration) Ranking() []Model {
	models := slices.Clone(k.Models)
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(a.Loss, b.Loss) })
	return models
}

const (
	// TrainGrowth is the growth, by documents, after which a training calibrates: so a sample of n
	// documents follows at least n/3 trainings.
	TrainGrowth = 0.5

	// RefitGrowth is the growth after which a Refit calibrates.
	RefitGrowth = 0.05

	// FewTaught is the number of documents below which a user does not expect to wait for a fit. A
	// process that has taught fewer leaves a slow fit to a larger training, to a process that stays,
	// or to one that calibrates.
	FewTaught = 10
)

// Latest is the accuracy of the chosen model on the latest documents of the calibration
// sample. It is zero if the ledger does not say which are the latest.
type Latest struct {
	// Documents is their number, and Since the time when the first of them was learned, in
	// seconds since 1970.
	Documents int
	Since     uint64

	// Loss is their leave-one-out log loss, as in the sample; Before is their log loss with
	// only the documents learned before all of them; and Error is the standard error of the
	// difference.
	Loss, Before, Error float64
}

const (
	// unlikeLoss is the ratio of Before to Loss that indicates a change. The documents
	// learned before are four fifths of all, which by itself gives a ratio of 1.02 to 1.2 (20
	// Newsgroups, R8, SpamAssassin, short messages in random order).
	unlikeLoss = 1.5

	// unlikeErrors is the least difference of the two, in standard errors.
	unlikeErrors = 2
)

// Unlike reports whether the latest documents differ from those learned before them: then
// future documents may differ as much, and probabilities are less reliable.
func (l Latest) Unlike() bool {
	return l.Before > unlikeLoss*l.Loss && l.Before-l.Loss > unlikeErrors*l.Error
}
