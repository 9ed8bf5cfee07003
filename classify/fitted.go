package classify

import (
	"bytes"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

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

// The keys of the Record and of the suspects that belong to the Calibration in the database.
// Most answers need neither.
const (
	keyRecord   = "calibration/record"
	keySuspects = "calibration/suspects"
)

// Record returns how reliable the answers of the calibrated model were; nil if the models
// were never calibrated.
func (c *Classifier) Record() (r *calibration.Record, err error) {
	err = c.db.View(func(s *store.Snapshot) error { r = c.readRecord(s); return nil })
	return r, err
}

// Suspects returns the learned documents whose labels are probably wrong, the likeliest
// first: as many as the rate of wrong labels suggests, up to 1,000. A document that was
// forgotten or moved since the calibration is not among them, nor one that belongs nowhere
// else more probably. There are none while the models are not calibrated, and none with more than 128 classes.
func (c *Classifier) Suspects() (list []calibration.Suspect, err error) {
	err = c.db.View(func(s *store.Snapshot) error {
		for _, x := range calibration.ParseSuspects(s.StateInPlace(keySuspects)) {
			e, err := s.Entry(x.ID)
			if err != nil {
				return err
			}
			if e != nil && x.Likely != x.Class && slices.ContainsFunc(s.Classes(), func(c *count.Class) bool { return c.ID == x.Class && c.Name == e.Class }) {
				list = append(list, x)
			}
		}
		return nil
	})
	return list, err
}

// readRecord returns the stored Record, nil if there is none.
func (c *Classifier) readRecord(s *store.Snapshot) *calibration.Record {
	r := c.records.of(s.StateInPlace(keyRecord), calibration.ParseRecord)
	return r.Bounded(c.calibrations.read(s), stackName, s.Classes())
}

// newRecord returns the Record of the stack, in which documents of classes with too few are answered wrongly.
func (x crossFitted) newRecord() *calibration.Record {
	late := make(map[count.DocID]bool)
	for _, d := range x.latest.docs {
		late[d.id] = true
	}
	earlier := slices.DeleteFunc(slices.Clone(x.docs), func(d scored) bool { return late[d.id] })
	var answers []calibration.Answered
	for _, docs := range [][]scored{earlier, x.latest.then, x.few} {
		x.each(x.sample(docs, x.i), func(d *scored, scores, truth []float64) {
			top, label, right := numeric.Top(scores), count.ClassID(calibration.OfFew), 0.
			if x.counts[d.label] > 0 {
				label, right = x.t.Classes[d.label].ID, truth[top]
			}
			answers = append(answers, calibration.Answered{
				Class: x.t.Classes[d.list[top]].ID, Label: label, LogOdds: numeric.LogOdds(scores, top), Right: right,
			})
		})
	}
	return calibration.NewRecord(answers)
}

// suspectRate is the rate of wrong labels that suspects are looked for with while the labels
// show none: a few there always are.
const suspectRate = .001

// review finds the documents whose labels are probably wrong by the stack, and those that it
// answers rightly.
func (x crossFitted) review() {
	if x.listed() {
		return
	}
	x.right = make(map[count.DocID]bool)
	flips := x.flips
	if flips == nil {
		flips = x.all.AllFlips(suspectRate)
	}
	for _, docs := range [][]scored{x.docs, x.rare} {
		s := x.sample(docs, x.i)
		s.Flips = flips
		x.each(s, func(d *scored, scores, truth []float64) {
			if numeric.Top(scores) == d.label {
				x.right[d.id] = true
			}
			if wrong := 1 - truth[d.label]; wrong > .5 {
				x.suspects = append(x.suspects, calibration.Suspect{
					ID: d.id, Class: x.t.Classes[d.label].ID, Likely: x.t.Classes[numeric.Top(truth)].ID, Wrong: wrong,
				})
			}
		})
	}
}
