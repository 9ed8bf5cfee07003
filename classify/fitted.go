package classify

import (
	"bytes"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// keyCalibration is the key of the Calibration in the database.
const keyCalibration = "calibration"

// parsed is a state last read, with its binary form: comparing that is much cheaper than
// parsing.
type parsed[T any] struct {
	mu    sync.Mutex
	data  []byte
	value *T
}

// of returns the value of data, nil if that is nil.
func (p *parsed[T]) of(data []byte, parse func([]byte) *T) *T {
	if data == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !bytes.Equal(data, p.data) {
		p.data = bytes.Clone(data)
		p.value = parse(p.data)
	}
	return p.value
}

// calibrationCache is the Calibration last read, and its Layer.
type calibrationCache struct {
	parsed[calibration.Calibration]

	sum   uint64 // Calibration.Layer of layer
	layer model.Layer
}

// read returns the stored Calibration, nil if there is none, it is not supported, or it is of an
// earlier program that chose another model: cut-offs and record are of that one's answers.
func (c *calibrationCache) read(s *store.Snapshot) *calibration.Calibration {
	k := c.of(s.StateInPlace(keyCalibration), calibration.Parse)
	if k == nil || k.Chosen != stackName || !supported(k, s.Classes()) {
		return nil
	}
	return k
}

// supported reports whether enough documents are left for the weights of k to be better
// than the conservative defaults: as many as a calibration needs and half as many as its
// sample had, of two of its classes.
func supported(k *calibration.Calibration, classes []*count.Class) bool {
	documents, sampled := uint64(0), 0
	for _, class := range classes {
		documents += class.Docs
		if class.Docs >= classFewest && k.Sampled[class.ID] > 0 {
			sampled++
		}
	}
	return sampled >= 2 && documents >= uint64(fewest(classes)) && 2*documents >= uint64(k.Sample)
}

// applied returns stack with its fitted weights and biases, if any.
func applied(k *calibration.Calibration, stack model.Stack, classes []*count.Class) model.Stack {
	m := k.Model(stack.Label)
	names := stack.ComponentNames()
	words := len(stack.Components)
	if at := slices.IndexFunc(stack.Components, optional); at >= 0 {
		words = at
	}
	if m == nil || len(m.Components) < words || !slices.Equal(m.Components[:words], names[:words]) {
		return stack
	}
	stack.Components = slices.Clone(stack.Components)
	for i := range stack.Components {
		// A new attribute keeps its default weight, and fields that no document had keep
		// weight 0. So does a Layer that was not learned.
		if at := slices.Index(m.Components, names[i]); at >= 0 {
			stack.Components[i].Weight = m.Weights[at]
		} else if stack.Components[i].IsLayer() {
			stack.Components[i].Weight = 0
		}
	}
	stack.Bias = make([]float64, len(classes))
	for c, class := range classes {
		stack.Bias[c] = m.Bias[class.ID]
	}
	return stack
}

// optional reports whether a calibration may have been made without the component.
func optional(c model.Component) bool { return c.IsAttribute() || optionalWords(c) }

// optionalWords reports whether the component reads words and has no weight until it is
// fitted.
func optionalWords(c model.Component) bool { return c.ReadsFields() || c.IsLayer() }
