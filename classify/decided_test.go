package classify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store/count"
)

var nan = math.NaN()

// When the share of a class changes from b to b', the probability of a document
// to be of it changes from p to
//
//	p' = b' (p - pb) / (b - pb + b'p - bb')
//
// (Elkan, 2001, theorem 2).
func TestPriorOfTwoClasses(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Model: model.Multinomial{}, Raw: true}, {Model: model.Bernoulli{}}, {}} {
		path := filepath.Join(t.TempDir(), "test.polya")
		o.Store.Ledger = count.LedgerFull
		learn := openTest(t, path, o)
		for i := range 40 {
			train(t, learn, []string{"ham", "ham", "ham", "spam"}[i%4], fmt.Sprintf("common word%d word%d %s", i%7, i%5, []string{"offer", "meeting", "meeting offer"}[i%3]))
		}
		learn.Close()
		texts := []string{"common offer", "meeting word1", "word3 word4 common", "unknown", ""}
		var before []float64
		c := openTest(t, path, o)
		for _, text := range texts {
			r := ask(t, c, text)
			before = append(before, r.ProbabilityOf("spam"))
		}
		c.Close()
		base := (10. + 1) / (40 + 2) // what an empty document gives
		for _, prior := range []string{"uniform", "ml", "dirichlet:5", "spam=0.9", "ham=0.9", "spam=0.25,ham=0.75", "spam=0.001"} {
			p, err := decision.ParsePrior(prior)
			if err != nil {
				t.Fatal(err)
			}
			o.Decision = decision.MostProbable{Prior: p}
			share, given := p.Given["spam"]
			if ham, other := p.Given["ham"]; other && !given {
				share = 1 - ham
			} else if !given {
				share = map[string]float64{"uniform": .5, "ml": 10. / 40, "dirichlet:5": 15. / 50}[prior]
			}
			c := openTest(t, path, o)
			for i, text := range texts {
				p := before[i]
				want := share * (p - p*base) / (base - p*base + share*p - base*share)
				r := ask(t, c, text)
				if got := r.ProbabilityOf("spam"); !near(got, want, 1e-12) {
					t.Errorf("%s, prior %s, %q: %v, want %v (from %v)", c.options.Model.Name(), prior, text, got, want, p)
				}
			}
			c.Close()
		}
	}
}

func TestDecisionRefused(t *testing.T) {
	t.Parallel()
	options := []Options{
		{Threshold: -.1}, {Threshold: 1.1}, {Threshold: nan},
	}
	for _, d := range []decision.Decision{
		decision.Filter{}, decision.FalsePositiveRate{Rate: .1}, decision.FalsePositiveRate{Positive: "a"}, decision.FalsePositiveRate{Positive: "a", Rate: -1},
		decision.FalsePositiveRate{Positive: "a", Rate: 1}, decision.FalsePositiveRate{Positive: "a", Rate: nan},
		decision.LeastCost{Costs: decision.Costs{Unsure: -1}}, decision.LeastCost{Costs: decision.Costs{Pairs: map[[2]string]float64{{"a", "b"}: nan}}},
	} {
		options = append(options, Options{Decision: d})
	}
	for _, p := range []decision.Prior{
		{Given: map[string]float64{"a": 2}}, {Alpha: -1}, {Alpha: math.Inf(1)}, {Uniform: true, Alpha: 1},
		{MaximumLikelihood: true, Alpha: 1}, {MaximumLikelihood: true, Uniform: true},
	} {
		options = append(options, Options{Decision: decision.MostProbable{Prior: p}}, Options{Decision: decision.LeastCost{Prior: p}}, Options{Decision: decision.Filter{Positive: "a", Prior: p}})
	}
	for _, o := range options {
		if _, err := Open(filepath.Join(t.TempDir(), "test.polya"), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// Of near copies that are taught one by one the next is surely spam once the counts say so too:
// recent lessons, which come first, make it unsure.
func TestSureWithoutRecentLessons(t *testing.T) {
	t.Parallel()
	c := hamAndSpam(t, filepath.Join(t.TempDir(), "db"), Options{Decision: decision.Filter{Positive: "spam"}})
	r := rand.New(rand.NewPCG(5, 5))
	near := words(r, "ham", 8) + " new newer"
	first, sure := 0, 0 // the copies taught before the answer is beyond the zone, and before it is sure
	for n := 1; sure == 0 && n < 20; n++ {
		learnText(t, c, "spam", near+" "+words(r, "both", 2))
		x, err := c.Classify(t.Context(), c.Document([]byte(near)))
		if err != nil {
			t.Fatal(err)
		}
		if first == 0 && x.Class == "spam" && x.LogOdds > 4.6 {
			first = n
		}
		if !x.Unsure && x.Class == "spam" {
			sure = n
		}
	}
	if first == 0 || sure <= first {
		t.Errorf("beyond the zone after %d copies, sure after %d", first, sure)
	}
}
