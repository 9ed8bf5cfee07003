// Package calibration holds what a database keeps of the calibration of its event models:
// weights, biases, and how log-odds are distributed among documents of other classes.
// Every process that answers reads it.
package calibration

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/store/count"
)

// Calibration holds what was fitted to the calibration sample: learned documents, each
// scored with its own counts taken out (leave-one-out).
type Calibration struct {
	// Documents is the number of documents that were learned in the snapshot that it was
	// made from: others may have been learned before it was kept.
	Documents uint64

	// Learned is the number of documents of each class that were learned there, by its
	// id, and Sampled the number of those in the sample.
	Learned map[count.ClassID]uint64
	Sampled map[count.ClassID]int

	// Sample is the size of the sample.
	Sample int

	// Limit is the size that was asked for, 0 if training chose it.
	Limit int

	// Chosen is the name of the model that answers by default: the Stack, or one
	// whose Loss is less by more than twice the standard error of the difference.
	Chosen string

	// Layer is the checksum of the weights of the Layer that the models were fitted with,
	// 0 if none has weight.
	Layer uint64

	// Latest says how well the latest documents are answered.
	Latest Latest

	// Models are the models fitted.
	Models []Model
}

// Model is an event model with what was fitted for it.
type Model struct {
	// Name is the model's name.
	Name string

	// Components are the names of its components with their tempering. What was
	// fitted for others is of no use.
	Components []string

	// Documents is the number of documents that were learned when it was fitted, which
	// for a model that training does not fit is when it was asked for. Sampled is the
	// number of documents of each class in its sample.
	Documents uint64
	Sampled   map[count.ClassID]int

	// Loss is its log loss on the sample: the mean of -log p(true class), in
	// nats, of calibrated posteriors.
	Loss float64

	// Weights are those of its components, one for a model that is no Stack.
	Weights []float64

	// Bias is the bias of each class, by its id; nil if there are none.
	Bias map[count.ClassID]float64

	// Floor is the share of answers that are wrong however sure they are, 0 to 1: the most
	// that the sample allows with 99 % confidence, or 0 if it shows none.
	Floor float64

	// Tails holds for each class the greatest log-odds for it among documents of other
	// classes, from which the cut-off for a false-positive rate is read. Only the
	// Chosen model has Tails, and those that were asked for.
	Tails map[count.ClassID]Tail

	// Zones holds, for each class with a Tail, the log-odds at which it is unsure
	// whether a document is of the class.
	Zones map[count.ClassID]filter.Zone

	// Bounds holds, for each class with a Tail and 100 documents of other classes in
	// the sample, the evidence for the class that those reach; see filter.Bounds.
	Bounds map[count.ClassID]filter.Bounds
}

// version changes when components or features do, so that what was
// fitted for others is not used.
const version = 9

// earlier is a version that is read too, so that a database answers as it did until it is
// calibrated anew: it has neither a Layer nor Latest, no Floor and nothing Raised.
const earlier = 6

// maxFitted bounds weights and biases: Parse refuses greater ones. Fits give ten at most.
const maxFitted = 1e6

// Model returns what was fitted for the model of that name, or nil.
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

// Ranking returns the models from the least loss to the greatest.
func (k *Calibration) Ranking() []Model {
	models := slices.Clone(k.Models)
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(a.Loss, b.Loss) })
	return models
}
