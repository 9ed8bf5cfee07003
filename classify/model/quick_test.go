package model

import (
	"math/rand/v2"
	"testing"
)

// The short ways give the scores of the long ones.
func TestQuickScorer(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	k := randomCounts(rng, 60, 200)
	for _, m := range []EventModel{Multinomial{}, Multinomial{Count: Binary}, Multinomial{Count: LogCounts}, Bernoulli{}, Bernoulli{Yes: .1, No: .1}, Bernoulli{Yes: 1, No: 3}, Normalised{}, Normalised{Lambda: .3}} {
		quick, long := m.Prepare(k.totals()), Scorer(nil)
		switch q := quick.(type) {
		case *quickMultinomial:
			long = q.additive
		case *quickBernoulli:
			long = q.additive
		case *quickNormalised:
			long = q.additive
		default:
			t.Fatalf("%s has no short way", m.Name())
		}
		for _, d := range k.docs[:50] {
			e := k.evidence(d)
			if len(e.Rows) == 0 {
				continue
			}
			got, want := make([]float64, 3), make([]float64, 3)
			quick.Score(e, got)
			long.Score(e, want)
			for c := range got {
				if !near(got[c], want[c], 1e-8) {
					t.Fatalf("%s, class %d: %v, want %v", m.Name(), c, got[c], want[c])
				}
			}
		}
	}
}
