package classify

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/internal/odds"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

// says is a Scorer that gives the same scores to every document.
type says []float64

func (s says) Score(_ *model.Evidence, scores []float64) { copy(scores, s) }

func (s says) Explain(_ *model.Evidence, weight float64, x *model.Contributions) {
	x.Add(&model.Contributions{Start: s}, weight)
}

// Three hypotheses have the posteriors .4, .3 and .3, and call a new instance
// positive, negative and negative: the most probable of them says positive, but
// negative is the more probable class, with .6 (T. Mitchell, Machine Learning,
// 1997, section 6.7).
func TestBayesOptimal(t *testing.T) {
	t.Parallel()
	flat := []float64{0, 0}
	x := &mixture{members: []member{
		{.4, says{0, -inf}, flat, nil}, {.3, says{-inf, 0}, flat, nil}, {.3, says{-inf, 0}, flat, nil},
	}}
	scores := make([]float64, 2)
	x.Score(&model.Evidence{}, scores)
	if p := odds.Posterior(scores); !near(p[0], .4, 1e-15) || !near(p[1], .6, 1e-15) {
		t.Errorf("posterior %v, want .4 and .6", p)
	}
}

// log(e^-120 + e^-121) = -120 + log(1 + e^-1) = -119.68673831248, which is what
// the sum of the underflowing powers has to give (K. Murphy, Machine Learning: A
// Probabilistic Perspective, 2012, section 3.5.3). With 1000 less the powers are
// 0 in floating point.
func TestLogSumExp(t *testing.T) {
	t.Parallel()
	const want = -119.68673831248177 // bc -l: -120+l(1+e(-1))
	for _, less := range []float64{0, 1000, 1e6} {
		if got := -odds.LogOdds([]float64{0, -120 - less, -121 - less}, 0); !near(got, want-less, 1e-13) {
			t.Errorf("log-odds %v, want %v", got, want-less)
		}
		p := odds.Posterior([]float64{-120 - less, -121 - less})
		if !near(p[0], math.Exp(-120-want), 1e-13) || !near(p[1], math.Exp(-121-want), 1e-13) {
			t.Errorf("posterior %v", p)
		}
		flat := []float64{0, 0}
		x := &mixture{members: []member{{.5, says{0, -120 - less}, flat, nil}, {.5, says{0, -121 - less}, flat, nil}}}
		scores := make([]float64, 2)
		x.Score(&model.Evidence{}, scores)
		if !near(scores[1], want-less-math.Ln2, 1e-13) {
			t.Errorf("mixture %v, want %v", scores[1], want-less-math.Ln2)
		}
	}
}

// member.logPosterior is log posterior of prior and score.
func TestLogPosterior(t *testing.T) {
	t.Parallel()
	for _, scores := range [][]float64{{1, 2, 3}, {-1e5, 0, -3}, {-inf, -7, -8}, {900, 901, -900}} {
		m := member{1, says(scores), []float64{-1, -2, -inf}, nil}
		got := make([]float64, 3)
		m.logPosterior(&model.Evidence{}, got)
		for c, p := range odds.Posterior([]float64{scores[0] - 1, scores[1] - 2, -inf}) {
			if !near(math.Exp(got[c]), p, 1e-12) {
				t.Errorf("%v: %v, want %v", scores, got, p)
			}
		}
	}
}

// Gibbs draws its members as often as their weights say, the same for the same
// terms in whatever order, and others with another seed.
func TestGibbsDraws(t *testing.T) {
	t.Parallel()
	flat := []float64{0, 0, 0}
	x := &mixture{draw: true, seed: 5, members: []member{
		{.5, says{0, -9, -9}, flat, nil}, {.3, says{-9, 0, -9}, flat, nil}, {.2, says{-9, -9, 0}, flat, nil},
	}}
	const n = 4000
	drawn := func(x *mixture) (list []int) {
		scores := make([]float64, 3)
		for i := range n {
			e := &model.Evidence{Terms: []count.TermCount{{Term: fmt.Append(nil, "term", i), N: 1}, {Term: []byte("other"), N: 2}}}
			if i%2 == 0 {
				slices.Reverse(e.Terms)
			}
			x.Score(e, scores)
			best := slices.Index(scores, slices.Max(scores))
			parts := model.NewContributions(e, 3)
			x.Explain(e, 1, parts)
			if slices.Reverse(e.Terms); parts.Start[best] != 0 || x.drawn(e).scorer.(says)[best] != 0 {
				t.Fatalf("document %d: another model was drawn", i)
			}
			list = append(list, best)
		}
		return list
	}
	first := drawn(x)
	for m, share := range []float64{.5, .3, .2} {
		count := 0
		for _, d := range first {
			if d == m {
				count++
			}
		}
		if off := math.Abs(float64(count) - n*share); off > 4*math.Sqrt(n*share*(1-share)) {
			t.Errorf("member %d was drawn %d times in %d, want %v", m, count, n, n*share)
		}
	}
	if !slices.Equal(drawn(x), first) {
		t.Error("the same seed draws otherwise")
	}
	x.seed = 6
	if slices.Equal(drawn(x), first) {
		t.Error("another seed draws the same")
	}
}

// Weights are the probabilities of the models: of losses that are .1 log 4/3
// apart on ten documents the second and third are 3/4 as probable as the first.
func TestMixtureWeights(t *testing.T) {
	t.Parallel()
	k := &calibration.Calibration{Sample: 10}
	for i, s := range candidates() {
		loss := .2 + .1*math.Log(4./3)
		switch {
		case i == 1:
			loss = .2
		case i > 2:
			loss = 5 // e^-48
		}
		k.Models = append(k.Models, calibration.Model{Name: s.Label, Loss: loss, Weights: make([]float64, len(s.Components))})
	}
	k.Models = append(k.Models, calibration.Model{Name: "dcm", Loss: .01, Weights: []float64{1}}) // no candidate
	x := newMixture(k, model.Totals{Classes: []*count.Class{{Docs: 1, Tokens: 1}}}, []*count.Class{{Docs: 1, Tokens: 1}}, model.Attributes{}, model.Layer{})
	var weights []float64
	for _, m := range x.members {
		weights = append(weights, m.weight)
	}
	checkNear(t, "weights", weights, []float64{.3, .4, .3}, 1e-12)
	if newMixture(nil, model.Totals{}, nil, model.Attributes{}, model.Layer{}) != nil || newMixture(&calibration.Calibration{Sample: 30}, model.Totals{}, nil, model.Attributes{}, model.Layer{}) != nil {
		t.Error("a mixture of nothing")
	}
}

// The Average is the mean of the posteriors that its models give, each asked by
// itself; a raw one, and one without a calibration, is Auto.
func TestAverageAnswer(t *testing.T) {
	t.Parallel()
	c := taught(t, 60, Options{Model: Average{}})
	k := calibrated(t, c)
	var models []Model
	for i, s := range candidates() {
		if i == 0 {
			models = append(models, s)
		} else {
			models = append(models, s.Components[0].Model)
		}
	}
	_, texts := lessons(90)
	for _, text := range texts[60:] {
		answers, err := c.ClassifyEach(ctx, c.Document([]byte(text)), models)
		if err != nil {
			t.Fatal(err)
		}
		r, sum := ask(t, c, text), 0.
		want := map[string]float64{}
		for i, m := range models {
			w := math.Exp(-float64(k.Sample) * k.Model(m.Name()).Loss)
			sum += w
			for _, p := range answers[i].Posterior {
				want[p.Class] += w * p.Probability
			}
		}
		for class, p := range want {
			if !near(r.ProbabilityOf(class), p/sum, 1e-5) { // models below 1e-6 are left out
				t.Errorf("%q, class %s: %v, want %v", text, class, r.ProbabilityOf(class), p/sum)
			}
		}
	}
	c.options.Raw, c.prepared = true, nil
	both, err := c.ClassifyEach(ctx, c.Document([]byte(texts[61])), []Model{Auto{}, Average{}, Gibbs{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range both {
		if !slices.Equal(r.Posterior, both[0].Posterior) {
			t.Errorf("raw: %v, and %v", r.Posterior, both[0].Posterior)
		}
	}
}
