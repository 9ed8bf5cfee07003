package tagged

import (
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// The keys of the calibration, and of the Layer that it was made with, in the database.
const (
	KeyCalibration = "tags"
	KeyLayer       = "tags/layer"
)

// Components returns the parts of the log-odds of a tag with their default weights, and the Layers of
// f unless that is nil.
func Components(f *Fitted) []model.Component {
	var l *layer.Weights
	if f != nil {
		l = f.Layer
	}
	return slices.Concat(model.Ratios(), model.FieldRatios(false, model.TextFields, model.OtherFields), []model.Component{
		{Model: model.Layer{Weights: l}, Weight: .5},
		{Model: model.Layer{Weights: l, Fields: model.CharacterFields}, Weight: .5},
	}, model.FieldRatios(true, model.CharacterFields, model.CharacterFields))
}

// fieldPrecision is the precision of the prior of the weight of a group of fields, which most
// tags do not need, around its default; that of the others is 1.
const fieldPrecision = 40

// Fitted is the stored calibration: it has a Model for each tag, by name, whose class 0
// is the tag.
type Fitted struct {
	*calibration.Calibration
	Layer *layer.Weights // nil for none
}

// Read returns the fits that the database keeps, nil if there are none.
func Read(s *store.Snapshot) *Fitted { return Parse(s.State(KeyCalibration), s.State(KeyLayer)) }

// Parse returns nil if data is not a calibration of the Components.
func Parse(data, weights []byte) *Fitted {
	k := calibration.Parse(data)
	if k == nil {
		return nil
	}
	f, names := &Fitted{Calibration: k}, componentNames()
	for i := range k.Models {
		if n := len(k.Models[i].Components); n > len(names) || !slices.Equal(k.Models[i].Components, names[:n]) {
			return nil // the last ones are newer than some calibrations
		}
	}
	if k.Layer != 0 {
		if layer.Sum(weights) != k.Layer {
			return nil
		}
		f.Layer = layer.Parse(weights)
	}
	return f
}

// Learned returns the documents of a tag when it was fitted.
func (f *Fitted) Learned(tag *count.Class) uint64 {
	if at := f.At(tag.Name); at >= 0 {
		return f.Models[at].Documents
	}
	return 0
}

func componentNames() []string {
	return model.Stack{Components: Components(nil)}.ComponentNames()
}

// At returns the index of the Model of a tag, -1 if there is none. f may be nil.
func (f *Fitted) At(tag string) int {
	if f == nil {
		return -1
	}
	return count.Named(f.Models, tag, func(m calibration.Model) string { return m.Name })
}

// fit fits the weights of each tag.
func (l *Scores) fit(ctx context.Context) *calibration.Calibration {
	k := &calibration.Calibration{Documents: l.Documents, Sample: max(len(l.sample), 1)}
	names := componentNames()
	for tag, class := range l.Classes {
		if ctx.Err() != nil {
			break
		}
		m := l.fitTag(tag)
		m.Name, m.Components, m.Documents = class.Name, names, class.Docs
		k.Models = append(k.Models, m)
	}
	return k
}

// fitTag fits the weights of one tag, and computes the log-odds of its documents and of
// others with weights fitted without them.
func (l *Scores) fitTag(tag int) calibration.Model {
	docs := l.documents(tag)
	all := l.weigh(tag, docs)
	var odds []calibration.Odds
	for half := range 2 {
		w := l.weigh(tag, fit.Half(docs, half))
		for _, d := range fit.Half(docs, 1-half) {
			o := calibration.Odds{LogOdds: l.logOdds(tag, d, w), ID: d.id}
			if slices.Contains(d.tags, tag) {
				o.Own = 1
			} else {
				o.LogOdds = max(o.LogOdds, 0) // no cut is below 0: many sure answers do not justify guesses
			}
			odds = append(odds, o)
		}
	}
	return calibration.Model{Weights: all.weights, Bias: map[count.ClassID]float64{0: all.bias},
		Tails: map[count.ClassID]calibration.Tail{0: calibration.NewTail(odds, 0, false)}}
}

// documents returns the sample, with additional documents of the tag if it has few.
func (l *Scores) documents(tag int) []*scored {
	docs := slices.Clone(l.sample)
	for _, d := range l.more {
		if slices.Contains(d.tags, tag) {
			docs = append(docs, d)
		}
	}
	return docs
}

// weighing turns the scores of the components into log-odds.
type weighing struct {
	weights []float64
	bias    float64
}

// unlikely is the log-odds, with default weights, below which a document without the tag
// is left out of a fit: thousands of them would not change it.
const unlikely = -10

// weigh fits weights and bias to documents.
func (l *Scores) weigh(tag int, docs []*scored) weighing {
	byDefault := weighing{weights: make([]float64, len(l.components))}
	var s fit.Sample
	var parts []int // fitted components
	var defaults []float64
	for m, c := range l.components {
		if l.seen.HasNothingFor(c) || c.IsLayer() && l.layer == nil {
			continue
		}
		byDefault.weights[m] = c.Weight
		precision := 1.
		if c.ReadsFields() && !c.IsLayer() {
			precision = fieldPrecision
		}
		parts, defaults, s.Precision = append(parts, m), append(defaults, c.Weight), append(s.Precision, precision)
	}
	s.Classes, s.Parts = 2, len(parts)
	tags, drawn := len(l.Classes), [2]float64{}
	for _, d := range docs {
		label := 0
		if slices.Contains(d.tags, tag) {
			label = 1
		}
		drawn[label]++
		if label == 0 && l.logOdds(tag, d, byDefault) < unlikely {
			continue
		}
		row := make([]float64, 2*len(parts))
		for i, m := range parts {
			row[2*i+1] = d.scores[m*tags+tag]
		}
		s.Labels, s.Scores = append(s.Labels, label), append(s.Scores, row)
	}
	if drawn[1] == 0 || drawn[0] == 0 {
		return byDefault
	}
	// Documents of the tag may have been drawn more often than the others.
	n, documents := float64(l.Classes[tag].Docs), float64(l.Documents)
	more := math.Log(drawn[1]/n) - math.Log(drawn[0]/(documents-n))
	s.Prior = []float64{0, Prior(l.Classes[tag].Docs, l.Documents) + more}
	weights, bias := s.Weights(defaults)
	w := weighing{make([]float64, len(l.components)), bias[1] - bias[0]}
	for i, m := range parts {
		w.weights[m] = weights[i]
	}
	return w
}

// logOdds returns the log-odds of a document with these weights.
func (l *Scores) logOdds(tag int, d *scored, w weighing) float64 {
	z := Prior(l.Classes[tag].Docs, l.Documents) + w.bias
	for m, weight := range w.weights {
		z += weight * d.scores[m*len(l.Classes)+tag]
	}
	return z
}
