package conjugate_test

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/conjugate"
)

// Three tails in a row do not make a coin that never shows heads.
func ExampleBeta() {
	coin := conjugate.Beta{A: 1, B: 1}.Update(0, 3)
	fmt.Printf("heads next: %.3f ± %.3f\n", coin.Mean(), coin.StdDev())
	low, high := coin.Interval(0.95)
	fmt.Printf("its probability is %.3f to %.3f with 95 %%\n", low, high)
	fmt.Printf("no heads in 10 more: %.3f\n", math.Exp(coin.LogTrials(0, 10)))
	// Output:
	// heads next: 0.200 ± 0.163
	// its probability is 0.006 to 0.602 with 95 %
	// no heads in 10 more: 0.286
}

// Five sizes in kB, and how probable the next is.
func ExampleNormalGamma() {
	sizes := conjugate.NormalGamma{A: -0.5} // the reference prior
	for _, x := range []float64{12, 15, 11, 14, 13} {
		sizes = sizes.Observe(x)
	}
	next := sizes.Predictive()
	fmt.Printf("t with %v degrees of freedom at %v, of scale %.3f\n", next.Nu, next.Mu, next.Sigma)
	fmt.Printf("density at 13: %.3f, at 30: %.1e\n", next.Prob(13), next.Prob(30))
	// Output:
	// t with 4 degrees of freedom at 13, of scale 1.732
	// density at 13: 0.217, at 30: 6.9e-05
}

// The taxi with the number 100 was seen: how many are there?
func ExamplePareto() {
	taxis := conjugate.Pareto{}.Update(1, 100)
	fmt.Printf("median %.0f, 95 %% are below %.0f\n", taxis.Quantile(0.5), taxis.Quantile(0.95))
	fmt.Printf("density of the next at 50: %v, at 200: %v\n", taxis.Predictive(50), taxis.Predictive(200))
	// Output:
	// median 200, 95 % are below 2000
	// density of the next at 50: 0.005, at 200: 0.00125
}
