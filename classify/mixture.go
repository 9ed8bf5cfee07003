package classify

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// mixture averages the posteriors of its members, or draws one of them.
type mixture struct {
	members []member
	draw    bool
	seed    uint64
}

type member struct {
	weight float64
	scorer model.Scorer
	prior  []float64
	model  *calibration.Model
}

// newMixture returns the mixture of the calibrated candidates, with the prior of these
// classes, nil if there is no Calibration.
func newMixture(k *calibration.Calibration, t model.Totals, prior []*count.Class, attributes model.Attributes, l model.Layer) *mixture {
	if k == nil {
		return nil
	}
	least := math.Inf(1)
	for _, stack := range candidates() {
		if m := k.Model(stack.Label); m != nil {
			least = min(least, m.Loss)
		}
	}
	x, sum := &mixture{}, 0.0
	for _, stack := range candidates() {
		m := k.Model(stack.Label)
		if m == nil {
			continue
		}
		w := math.Exp(float64(k.Sample) * (least - m.Loss))
		if w < 1e-6 {
			continue
		}
		stack = withLayer(applied(k, stack.WithAttributes(attributes, t, false), t.Classes), l)
		x.members = append(x.members, member{w, stack.Prepare(t), scaled(odds.LogPrior(prior), stack.PriorWeight), m})
		sum += w
	}
	if len(x.members) == 0 {
		return nil
	}
	for i := range x.members {
		x.members[i].weight /= sum
	}
	return x
}

// Score implements model.Scorer: it sets scores to the logarithm of the mean posterior.
func (x *mixture) Score(e *model.Evidence, scores []float64) {
	if x.draw {
		x.drawn(e).logPosterior(e, scores)
		return
	}
	classes := len(scores)
	all := make([]float64, len(x.members)*classes)
	for i := range x.members {
		x.members[i].logPosterior(e, all[i*classes:(i+1)*classes])
	}
	for c := range scores {
		top, sum := math.Inf(-1), 0.0
		for i := range x.members {
			top = max(top, all[i*classes+c])
		}
		for i, m := range x.members {
			sum += m.weight * odds.Relative(all[i*classes+c], top)
		}
		scores[c] = top + math.Log(sum)
	}
}

// logPosterior sets scores to the logarithms of the posterior.
func (m *member) logPosterior(e *model.Evidence, scores []float64) {
	m.scorer.Score(e, scores)
	settleScores(m.model, scores, m.prior, knownTerms(e))
	top := odds.Max(scores, -1)
	sum := 0.0
	for _, v := range scores {
		sum += odds.Relative(v, top)
	}
	for c := range scores {
		scores[c] -= top + math.Log(sum)
	}
}

// drawn draws a member for a document. It sums the hashes of terms and attributes, so that
// their order does not matter.
func (x *mixture) drawn(e *model.Evidence) *member {
	h, sum := fnv.New64a(), uint64(0)
	for _, t := range e.Terms {
		h.Reset()
		h.Write(t.Term)
		h.Write([]byte{0, t.N})
		sum += h.Sum64()
	}
	for i := range e.Attributes {
		a := &e.Attributes[i].Attribute
		h.Reset()
		fmt.Fprintf(h, "%q %d %q %x", a.Name, a.Kind, a.Category, a.Number)
		sum += h.Sum64()
	}
	u := rand.New(rand.NewPCG(x.seed, sum)).Float64()
	for i := range x.members {
		if u -= x.members[i].weight; u < 0 {
			return &x.members[i]
		}
	}
	return &x.members[len(x.members)-1]
}

// Explain implements model.Scorer: contributions are the members' weighted contributions,
// which include their priors.
func (x *mixture) Explain(e *model.Evidence, weight float64, to *model.Contributions) {
	if x.draw {
		m := x.drawn(e)
		m.scorer.Explain(e, weight, to)
		to.Add(&model.Contributions{Start: m.prior}, weight)
		return
	}
	for i := range x.members {
		m, one := &x.members[i], model.NewContributions(e, len(to.Start))
		m.scorer.Explain(e, 1, one)
		one.Add(&model.Contributions{Start: m.prior}, 1)
		to.Add(one, weight*m.weight)
	}
}
