package model

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/store/count"
)

// Layer scores a class by a linear model of the terms, a multinomial logistic regression
// learned from documents, not from counts:
//
//	score_c = Σ_t w_tc v_t,  v_t = log(1+x_t) idf_t / ‖log(1+x) idf‖₂
//
// over the document's known terms, with idf_t = log((1+N)/(1+df_t)) + 1, above the fraction as
// of when it was learned. It reads the terms outside of channels, and with CharacterFields those of the
// channel, which are learned together: of a document that has both v is divided by √2. A
// classify.Classifier makes it when it calibrates; the zero Layer scores every class 0. Of Attributes
// the score is instead
//
//	score_c = b_c + Σ_f w_fc x_f
//
// over the features f of the document's attributes, see layer.Columns, which the model Attributes
// takes to be independent.
type Layer struct {
	Weights    *layer.Weights
	Attributes bool
	Fields     Fields // AllFields or CharacterFields
}

// Name returns "layer", "character layer" or "attribute layer".
func (m Layer) Name() string {
	switch {
	case m.Attributes:
		return "attribute layer"
	case m.Fields.IsChannel():
		return "character layer"
	}
	return "layer"
}

// IsLayer reports whether the component is a Layer.
func (c Component) IsLayer() bool {
	_, ok := c.Model.(Layer)
	return ok
}

// Ahead returns by about how much the Layers of all kinds of terms score a document with these terms,
// whose hashes are layer.Hash, higher for class own than for other, in nats, when n documents are
// learned. It does not read counts: for the length of the document's vector all terms have half of
// the greatest idf, which is at most a third too much on mail and news. It is 0 without weights.
func (m Layer) Ahead(terms []count.TermCount, hashes []uint64, n uint64, own, other count.ClassID) float64 {
	if m.Weights == nil {
		return 0
	}
	classes, sums, squares := m.Weights.Classes, [layer.Kinds]float64{}, [layer.Kinds]float64{}
	for k, t := range terms {
		kind := layer.Kind(t.Term)
		squares[kind] += weightsLogSquared[t.N]
		row := m.Weights.Row(hashes[k])
		for i := range row.Len() {
			switch at, w := row.At(i); {
			case at >= len(classes):
			case classes[at] == own:
				sums[kind] += weightsLog[t.N] * w
			case classes[at] == other:
				sums[kind] -= weightsLog[t.N] * w
			}
		}
	}
	units := layer.Units(squares)
	return (sums[0]*units[0] + sums[1]*units[1]) / (layer.IDF(n, 0) / 2)
}

// Prepare maps the classes of the weights to the classes of t.
func (m Layer) Prepare(t Totals) Scorer {
	s := &layerScorer{of: m.Weights, documents: t.Documents}
	if m.Weights != nil {
		for _, id := range m.Weights.Classes {
			s.class = append(s.class, slices.IndexFunc(t.Classes, func(c *count.Class) bool { return c.ID == id }))
		}
	}
	if m.Fields.IsChannel() {
		s.kind = 1
	}
	if m.Attributes {
		return s.ofAttributes(t)
	}
	return &summed{contributor: s, weights: &weightsLog, unit: func(_ *Evidence, total float64) float64 { return inverseNorm(total) }}
}

type layerScorer struct {
	of        *layer.Weights // nil for none
	kind      int            // of the terms that it reads, below layer.Kinds
	documents uint64
	class     []int // by the weights' number of a class: its index, -1 if it is gone
}

func (s *layerScorer) contribute(row *Row, memory *contributions) {
	memory.list = memory.list[:0]
	if s.of == nil || row.DF < 2 { // terms of a single document are not learned
		return
	}
	of := s.of.Row(layer.Hash(row.Term))
	if of.Len() == 0 {
		return
	}
	share := row.baseShare()
	for i := range of.Len() {
		if at, w := of.At(i); at < len(s.class) && s.class[at] >= 0 { // the class is there, and the bytes are ours
			memory.list = append(memory.list, contribution{s.class[at], w * share})
		}
	}
}

// idf is layer.IDF, to within 1e-10, and 0 if there are no weights.
func (s *layerScorer) idf(row *Row) float64 {
	if s.of == nil {
		return 0
	}
	return quickLog(float64(1+s.documents)/float64(1+row.DF)) + 1
}

// inverseNorm returns 1/√sum, 1 for 0.
func inverseNorm(sum float64) float64 {
	if sum == 0 {
		return 1
	}
	return 1 / math.Sqrt(sum)
}

// attributeLayer is the scorer of a Layer of attributes.
type attributeLayer struct {
	*layerScorer
	columns layer.Columns
	start   []float64 // by class: b
}

func (s *layerScorer) ofAttributes(t Totals) *attributeLayer {
	x := &attributeLayer{layerScorer: s}
	if s.of != nil {
		x.columns, x.start = layer.NewColumns(t.Attributes, s.of), make([]float64, len(t.Classes))
		s.add(x.start, layer.Constant, 1)
	}
	return x
}

// add adds the weights of a feature times its value.
func (s *layerScorer) add(scores []float64, hash uint64, value float64) {
	of := s.of.Row(hash)
	for i := range of.Len() {
		if at, w := of.At(i); at < len(s.class) && s.class[at] >= 0 {
			scores[s.class[at]] += w * value
		}
	}
}

// Score implements Scorer.
func (s *attributeLayer) Score(e *Evidence, scores []float64) {
	clear(scores)
	s.Explain(e, 1, &Contributions{Start: scores, Attributes: slices.Repeat([][]float64{scores}, len(e.Attributes))})
}

// Explain implements Scorer. A document without attributes gets nothing.
func (s *attributeLayer) Explain(e *Evidence, weight float64, x *Contributions) {
	if s.of == nil || len(e.Attributes) == 0 {
		return
	}
	addTimes(x.Start, s.start, weight)
	for i := range e.Attributes {
		row := &e.Attributes[i]
		s.columns.Each(row.At, &row.Attribute, func(hash uint64, value float64) { s.add(x.Attributes[i], hash, weight*value) })
	}
}
