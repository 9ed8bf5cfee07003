package logistic

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The analytic gradient equals central differences.
func TestGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Problem{
			Features: rapid.IntRange(1, 5).Draw(t, "features"), Classes: rapid.IntRange(2, 4).Draw(t, "classes"),
			Precision: rapid.Float64Range(.1, 10).Draw(t, "precision"),
		}
		value := rapid.Float64Range(-2, 2)
		for d := range p.Classes + rapid.IntRange(0, 4).Draw(t, "more") {
			r := Row{Label: d % p.Classes}
			for f := range p.Features {
				if rapid.Bool().Draw(t, "present") {
					r.Features, r.Values = append(r.Features, uint32(f)), append(r.Values, value.Draw(t, "value"))
				}
			}
			p.Rows = append(p.Rows, r)
		}
		x := make([]float64, (p.Features+1)*p.Classes)
		for i := range x {
			x[i] = value.Draw(t, "x")
		}
		_, grad := p.look(x)
		const h = 1e-5
		for i := range x {
			at := x[i]
			x[i] = at + h
			above, _ := p.look(x)
			x[i] = at - h
			below, _ := p.look(x)
			x[i] = at
			if want := (above - below) / (2 * h); math.Abs(grad[i]-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("component %d is %v, want %v", i, grad[i], want)
			}
		}
	})
}

// collinear has labels that depend on the small difference of two columns, and on a third.
func collinear(n int) (rows []Row) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		base, own, third := rng.NormFloat64(), .1*rng.NormFloat64(), rng.NormFloat64()
		label := 0
		if 10*own+third/2+rng.NormFloat64()/2 > 0 {
			label = 1
		}
		rows = append(rows, Row{[]uint32{0, 1, 2}, []float64{base, base + own, third}, label})
	}
	return rows
}

// The fit converges where columns are nearly collinear: at its end the posterior density, written
// down once more, falls in every direction.
func TestFitConvergesOnCollinearColumns(t *testing.T) {
	t.Parallel()
	rows := collinear(300)
	for _, precision := range []float64{10, 1, .1, .01} {
		p := Problem{Rows: rows, Features: 3, Classes: 2, Precision: precision, Steepest: 1e-7, Steps: 1000}
		w, left, err := p.Fit(t.Context(), nil)
		if err != nil || left > 1e-7 {
			t.Fatalf("precision %v: gradient %v, %v", precision, left, err)
		}
		density := func(w Weights) (sum float64) {
			for _, v := range w[:6] {
				sum -= precision * v * v / 2
			}
			for _, r := range rows {
				var z [2]float64
				for c := range z {
					z[c] = w[6+c] + w[c]*r.Values[0] + w[2+c]*r.Values[1] + w[4+c]*r.Values[2]
				}
				sum -= math.Log(1 + math.Exp(z[1-r.Label]-z[r.Label]))
			}
			return sum
		}
		best := density(w)
		for i := range w {
			for _, move := range []float64{-.01, .01} {
				w[i] += move
				if d := density(w); d > best+1e-7 {
					t.Errorf("precision %v: %v more at weight %d gives %v, more than %v", precision, move, i, d, best)
				}
				w[i] -= move
			}
		}
	}
}

func TestFitStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := Problem{Rows: collinear(10), Features: 3, Classes: 2, Precision: 1, Steps: 10}
	if _, _, err := p.Fit(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
