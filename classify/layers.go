package classify

import (
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

const keyLayer = "layer"

// layerClasses is the largest number of classes for which a Layer is learned: a document
// changes the weights of all of them.
const layerClasses = 1 << 10

type layerLearner struct {
	*layer.Learner
	at      []int   // its components, of terms by kind and perhaps of attributes
	present []int   // the classes that have documents, in the order of its scores
	share   float64 // the largest share of all documents to learn
}

// newLearner returns nil if there is no Layer to learn, and then drops it from the stacks.
func (loo *looScores) newLearner() *layerLearner {
	l := &layerLearner{present: present(loo.t.Classes)}
	learns := loo.whole && len(l.present) <= layerClasses
	loo.drop(func(c model.Component) bool { return c.IsLayer() && !learns })
	for i, c := range loo.components {
		if c.IsLayer() {
			l.at = append(l.at, i)
		}
	}
	for _, c := range l.present {
		loo.layerIDs = append(loo.layerIDs, loo.t.Classes[c].ID)
	}
	if !learns || len(l.at) == 0 {
		return nil
	}
	l.Learner = layer.New(len(l.present), &loo.rows.Terms)
	l.share = float64(l.Most()) / float64(max(loo.t.Documents, 1))
	if len(l.at) > layer.Kinds {
		l.Columns = layer.NewColumns(loo.t.Attributes, nil)
	}
	return l
}

// wants reports whether to learn the document with this key; a nil learner learns none.
func (l *layerLearner) wants(key uint64) bool { return l != nil && within(key, l.share) }

// gatherLayer adds a document of the class with this index, which was scored unless added is empty.
func (loo *looScores) gatherLayer(l *layerLearner, doc *count.Document, class int, added []scored) {
	if !l.wants(sampleKey(doc.ID)) {
		if class = -1; len(added) == 0 {
			return
		}
	}
	var scored func([]float64)
	if len(added) == 0 { // else add did so
		loo.rows.Number(doc.Terms)
	} else {
		scored = l.scores(added[0], len(loo.components))
	}
	l.Add(doc, loo.rows.Numbers, slices.Index(l.present, class), nil, scored)
}

// scores returns a function that sets the scores of d for its components, out of so many.
func (l *layerLearner) scores(d scored, components int) func([]float64) {
	return func(values []float64) {
		for i, v := range values {
			row := d.scores[l.at[i/len(l.present)]*len(d.scores)/components:]
			if at := d.position(l.present[i%len(l.present)]); at >= 0 {
				row[at] = v
			}
		}
	}
}

// layerOf returns the Layer that k was made with, the zero Layer if it has none. For one question
// it is read in place.
func (c *calibrationCache) layerOf(s source, k *calibration.Calibration) model.Layer {
	if k == nil || k.Layer == 0 {
		return model.Layer{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sum == k.Layer {
		return c.layer
	}
	read := s.State
	if s.once {
		read = s.StateInPlace
	}
	data := read(keyLayer)
	if layer.Sum(data) != k.Layer {
		return model.Layer{}
	}
	l := model.Layer{Weights: layer.Parse(data)}
	if !s.once {
		c.sum, c.layer = k.Layer, l
	}
	return l
}

// keepLayer returns the bytes of the Layer, and records its checksum in k; nil if no
// fitted model has a weight for it.
func (loo *looScores) keepLayer(k *calibration.Calibration) []byte {
	if loo.layer == nil || !slices.ContainsFunc(k.Models, hasLayer) {
		return nil
	}
	data := loo.layer.Marshal(loo.layerIDs)
	k.Layer = layer.Sum(data)
	return data
}

// hasLayer reports whether a model gives a Layer some weight.
func hasLayer(m calibration.Model) bool {
	return slices.ContainsFunc([]model.Layer{{}, {Fields: model.CharacterFields}, {Attributes: true}}, func(l model.Layer) bool {
		at := slices.Index(m.Components, l.Name())
		return at >= 0 && m.Weights[at] > 0
	})
}
