package model

// testStack has components of every kind, two of which share their ratios and
// one of which comes twice.
func testStack() Stack {
	return Stack{Label: "test", Bias: []float64{.5, -1}, Components: []Component{
		{Model: Ratio{Bound: 2}, Weight: .7},
		{Model: Ratio{}, Weight: .4, Gamma: .3},
		{Model: Ratio{Bound: 3}, Weight: .2},
		{Model: Ratio{Bound: 3}, Weight: .1, Gamma: 1},
		{Model: Ratio{Documents: true, Alpha: .1}, Weight: 1.5},
		{Model: Bernoulli{Yes: .1, No: .1}, Weight: .05, Gamma: .5},
		{Model: Normalised{}, Weight: 1.1},
		{Model: DCM{}, Weight: 0},
		{Model: Multinomial{}, Weight: .02, Gamma: .75},
		{Model: Complement{}, Weight: .03, Gamma: .9},
	}}
}
