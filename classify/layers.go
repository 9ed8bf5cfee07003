package classify

import (
	"context"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// keyLayer is where the database keeps the weights of its Layer.
const keyLayer = "layer"

// layerClasses is the greatest number of classes that a Layer is learned for: a document
// changes the weights of all of them.
const layerClasses = 1 << 10

// addLayer learns a Layer from the documents of the ledger and sets its scores of those that
// are scored, each as it was before the document was learned.
func (loo *looScores) addLayer(ctx context.Context) error {
	at := slices.IndexFunc(loo.components, model.Component.IsLayer)
	if at < 0 {
		return nil
	}
	present := make([]int, 0, len(loo.t.Classes)) // classes that have documents
	for c, class := range loo.t.Classes {
		if class.Docs > 0 {
			present = append(present, c)
			loo.layerIDs = append(loo.layerIDs, class.ID)
		}
	}
	if !loo.whole || len(present) > layerClasses {
		loo.drop(model.Component.IsLayer)
		return nil
	}
	l := layer.New(len(present))
	scores := make(map[count.DocID][]float64)
	for _, list := range [][]scored{loo.docs, loo.rare} {
		for i := range list {
			scores[list[i].id] = list[i].scores
		}
	}
	share := float64(l.Most()) / float64(max(loo.t.Documents, 1)) * (1 << 64)
	want := func(id count.DocID) bool { return float64(sampleKey(id)) < share || scores[id] != nil }
	err := loo.s.LearnedIf(want, func(doc *count.Document) error {
		class := -1
		if float64(sampleKey(doc.ID)) < share {
			class = slices.Index(present, loo.named(doc.Class))
		}
		l.Add(doc, class, scores[doc.ID] != nil)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	df, err := frequencies(loo.s, l.Terms())
	if err != nil {
		return err
	}
	classes := len(loo.t.Classes)
	loo.layer = l.Learn(loo.t.Documents, df, func(id count.DocID, values []float64) {
		for i, c := range present {
			scores[id][at*classes+c] = values[i]
		}
	})
	return nil
}

// frequencies returns the numbers of documents that have each of the terms.
func frequencies(s *store.Snapshot, terms []string) ([]uint64, error) {
	const batch = 1 << 12
	df := make([]uint64, len(terms))
	asked := make([]count.TermCount, 0, batch)
	for from := 0; from < len(terms); from += batch {
		asked = asked[:0]
		for _, term := range terms[from:min(from+batch, len(terms))] {
			asked = append(asked, count.TermCount{Term: []byte(term), N: 1})
		}
		err := s.Rows(asked, false, func(i int, cells []count.Cell) error {
			for k := range cells {
				df[from+i] += cells[k].DF
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return df, nil
}

// layerOf returns the Layer that k was made with, the zero Layer if it has none.
func (c *calibrationCache) layerOf(s *store.Snapshot, k *calibration.Calibration) model.Layer {
	if k == nil || k.Layer == 0 {
		return model.Layer{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sum != k.Layer {
		c.sum, c.layer = 0, model.Layer{}
		if data := s.State(keyLayer); data != nil && layer.Sum(data) == k.Layer {
			c.sum, c.layer = k.Layer, model.NewLayer(layer.Parse(data))
		}
	}
	return c.layer
}

// withLayer returns stack with that Layer, without weight if there is none.
func withLayer(stack model.Stack, l model.Layer) model.Stack {
	at := slices.IndexFunc(stack.Components, model.Component.IsLayer)
	if at < 0 {
		return stack
	}
	stack.Components = slices.Clone(stack.Components)
	stack.Components[at].Model = l
	if l == (model.Layer{}) {
		stack.Components[at].Weight = 0
	}
	return stack
}

// keepLayer returns the bytes of the Layer, and notes in k which it is; nil if no model
// fitted has a weight for it.
func (loo *looScores) keepLayer(k *calibration.Calibration) []byte {
	if loo.layer == nil || !slices.ContainsFunc(k.Models, hasLayer) {
		return nil
	}
	data := loo.layer.Marshal(loo.layerIDs)
	k.Layer = layer.Sum(data)
	return data
}

// hasLayer reports whether a model gives the Layer some weight.
func hasLayer(m calibration.Model) bool {
	at := slices.Index(m.Components, model.Layer{}.Name())
	return at >= 0 && at < len(m.Weights) && m.Weights[at] > 0 // a file may have any lengths
}
