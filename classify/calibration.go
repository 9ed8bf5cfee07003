package classify

import (
	"bytes"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/filter"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Calibration is what is known of how well event models do on documents that
// the database has learned, each judged without its own help. The database keeps
// it.
type Calibration struct {
	// Documents is the number of documents that were learned when it was made.
	Documents uint64

	// Learned is the number of documents of each class that were learned then, by
	// its id, and Judged the number of those that were judged.
	Learned map[count.ClassID]uint64
	Judged  map[count.ClassID]int

	// Sample is the number of documents that were judged.
	Sample int

	// Limit is the number of documents that were asked for, 0 if as many as training
	// takes by itself.
	Limit int

	// Chosen is the name of the model that answers by default: the Stack, or one
	// whose Loss is less by more than twice the standard error of the difference.
	Chosen string

	// Models are the models judged.
	Models []CalibratedModel
}

// CalibratedModel is a model with what was fitted for it.
type CalibratedModel struct {
	// Name is the model's name.
	Name string

	// Components are the names of its components with their tempering. What was
	// fitted for others is of no use.
	Components []string

	// Documents is the number of documents that were learned when it was judged: a
	// model that is not one of those that Auto chooses from is judged when it is
	// asked for. Judged is the number of documents judged of each class.
	Documents uint64
	Judged    map[count.ClassID]int

	// Loss is its log loss on the sample: the mean of -log p(true class), in
	// nats, of calibrated posteriors.
	Loss float64

	// Weights are those of its components, one for a model that is no Stack.
	Weights []float64

	// Bias is the bias of each class, by its id; nil if there are none.
	Bias map[count.ClassID]float64

	// Tails holds for each class the log-odds for it of documents of other
	// classes, from which the cut-off for a false-positive rate is read.
	// Of the models that Auto chooses from, only the one chosen has them, and
	// those that were asked for.
	Tails map[count.ClassID]Tail

	// Zones holds for each class where the answer whether a document is of it is
	// unsure, of the models that have Tails.
	Zones map[count.ClassID]filter.Zone

	// Bounds holds for each class the evidence for it that documents of other classes
	// reach; see Contradiction. There are some of the models that have Tails, for
	// classes of which 100 documents of others were judged.
	Bounds map[count.ClassID]filter.Bounds
}

// keyCalibration is where the database keeps its Calibration.
const keyCalibration = "calibration"

// calibrationVersion changes when components or features do, so that what was
// fitted for others is not used.
const calibrationVersion = 6

// maxFitted bounds weights and biases that are believed: fits give some ten at most.
const maxFitted = 1e6

// calibrationCache is the Calibration last read, with what it was read from: to
// compare that is much cheaper than to read it.
type calibrationCache struct {
	mu   sync.Mutex
	data []byte
	k    *Calibration
}

// read returns what the database keeps, nil if that is nothing or cannot be used,
// as it cannot when too few documents are left behind it: it is made again when that
// is due.
func (c *calibrationCache) read(s *store.Snapshot) *Calibration {
	data := s.State(keyCalibration)
	if data == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !bytes.Equal(data, c.data) {
		c.data, c.k = bytes.Clone(data), parseCalibration(data)
	}
	if c.k == nil || !c.k.supported(s.Classes()) {
		return nil
	}
	return c.k
}

// supported says whether enough is left of what k was made of for its weights to be
// better than the modest ones by default: as many documents as a calibration needs and
// half as many as were judged, of two of the classes that were.
func (k *Calibration) supported(classes []*count.Class) bool {
	documents, judged := uint64(0), 0
	for _, class := range classes {
		documents += class.Docs
		if class.Docs >= judgedFewest && k.Judged[class.ID] > 0 {
			judged++
		}
	}
	return judged >= 2 && documents >= uint64(fewest(classes)) && 2*documents >= uint64(k.Sample)
}

// model returns what was fitted for the model of that name, or nil.
func (k *Calibration) model(name string) *CalibratedModel {
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

// apply returns stack with the weights and biases that were fitted for it, or
// as it is.
func (k *Calibration) apply(stack Stack, classes []*count.Class) Stack {
	m := k.model(stack.Label)
	names := stack.ComponentNames()
	words := len(stack.Components)
	if at := slices.IndexFunc(stack.Components, Component.IsAttribute); at >= 0 {
		words = at
	}
	if m == nil || len(m.Weights) != len(m.Components) || len(m.Components) < words || !slices.Equal(m.Components[:words], names[:words]) {
		return stack
	}
	stack.Components = slices.Clone(stack.Components)
	for i := range stack.Components {
		at := i
		if i >= words {
			// An attribute that is new since keeps its weight, and those that are gone
			// do not matter.
			if at = slices.Index(m.Components, names[i]); at < 0 {
				continue
			}
		}
		stack.Components[i].Weight = m.Weights[at]
	}
	stack.Bias = make([]float64, len(classes))
	for c, class := range classes {
		stack.Bias[c] = m.Bias[class.ID]
	}
	return stack
}
