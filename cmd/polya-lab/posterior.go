package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

func posteriorCommand(l *lab) *cobra.Command {
	var prior, next []float64
	cmd := &cobra.Command{
		Use: "posterior beta|pareto|normal-gamma DATA…", Short: "print what a conjugate prior becomes by data, and what it predicts",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := numbers(args[1:])
			if err != nil {
				return err
			}
			return l.posterior(args[0], prior, data, next)
		},
	}
	cmd.Flags().Float64SliceVar(&prior, "prior", nil, "`PARAMETERS` of the prior, separated by commas")
	cmd.Flags().Float64SliceVar(&next, "next", nil, "print what is predicted of `NUMBERS`, separated by commas")
	return cmd
}

func numbers(words []string) (list []float64, err error) {
	for _, word := range words {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil || !(x >= -1e15 && x <= 1e15) {
			return nil, fmt.Errorf("%q: want a number", word)
		}
		list = append(list, x)
	}
	return list, nil
}

// family is a conjugate family: the number of its parameters, and what it prints.
type family struct {
	parameters int
	of         func(prior, data []float64, next []float64, t *terminal.Table) error
}

var families = map[string]family{"beta": {2, beta}, "pareto": {2, pareto}, "normal-gamma": {4, normalGamma}}

func (l *lab) posterior(name string, prior, data, next []float64) error {
	f, known := families[name]
	if !known {
		return fmt.Errorf("no family is called %q: want beta, pareto or normal-gamma", name)
	}
	if len(prior) != f.parameters {
		return fmt.Errorf("--prior: %s has %d parameters, not %d", name, f.parameters, len(prior))
	}
	for i, p := range prior {
		if p < 0 && !(name == "normal-gamma" && i == 0) {
			return fmt.Errorf("--prior: parameter %v of %s is below 0", p, name)
		}
	}
	t := terminal.Table{Numeric: []bool{false, true}}
	if err := f.of(prior, data, next, &t); err != nil {
		return err
	}
	return t.Write(l.Stdout)
}

func show(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// beta is of throws, each 1 for yes or 0 for no; next are numbers of throws. With the prior
// Beta(1, 1) the mean is Laplace's rule of succession, with Beta(0, 0) the maximum likelihood
// estimate (K. Murphy, Machine Learning: A Probabilistic Perspective, 2012, section 3.3).
func beta(prior, data, next []float64, t *terminal.Table) error {
	b := distuv.Beta{Alpha: prior[0], Beta: prior[1]}
	for _, x := range data {
		switch x {
		case 0:
			b.Beta++
		case 1:
			b.Alpha++
		default:
			return fmt.Errorf("%v: want 1 for yes or 0 for no", x)
		}
	}
	t.Add("posterior", fmt.Sprintf("Beta(%s, %s)", show(b.Alpha), show(b.Beta)))
	if b.Alpha == 0 && b.Beta == 0 {
		return nil // nothing is known
	}
	t.Add("mean", show(b.Mean()))
	if b.Alpha == 0 || b.Beta == 0 {
		return nil // it is 0 or 1 with certainty
	}
	if mode := b.Mode(); !math.IsNaN(mode) {
		t.Add("mode", show(mode))
	}
	t.Add("standard deviation", show(b.StdDev()))
	t.Add("95 % interval", show(b.Quantile(.025))+" to "+show(b.Quantile(.975)))
	if prior[0] > 0 && prior[1] > 0 {
		t.Add("log evidence", show(mathext.Lbeta(b.Alpha, b.Beta)-mathext.Lbeta(prior[0], prior[1])))
	}
	for _, n := range next {
		if n < 1 || n > 100 || n != float64(int(n)) {
			return fmt.Errorf("%v throws: want 1 to 100", n)
		}
		for k := 0.; k <= n; k++ { // the beta-binomial distribution
			log := mathext.Lbeta(b.Alpha+k, b.Beta+n-k) - mathext.Lbeta(b.Alpha, b.Beta) - mathext.Lbeta(k+1, n-k+1) - math.Log(n+1)
			t.Add(fmt.Sprintf("%v of %v", k, n), show(math.Exp(log)))
		}
	}
	return nil
}

// pareto is of the greatest number, as of the taxis of a town; next are numbers (Murphy,
// exercises 3.9 and 3.10).
func pareto(prior, data, next []float64, t *terminal.Table) error {
	n, p := float64(len(data)), distuv.Pareto{Alpha: prior[0] + float64(len(data)), Xm: prior[1]}
	for _, x := range data {
		if x < 0 {
			return fmt.Errorf("%v: want 0 or more", x)
		}
		p.Xm = max(p.Xm, x)
	}
	t.Add("posterior", fmt.Sprintf("Pareto(%s, %s)", show(p.Alpha), show(p.Xm)))
	if p.Alpha == 0 || p.Xm == 0 {
		return nil // it is improper
	}
	t.Add("mean", show(p.Mean()))
	t.Add("mode", show(p.Mode()))
	t.Add("median", show(p.Median()))
	if k, b := prior[0], prior[1]; k > 0 && b > 0 {
		t.Add("log evidence", show(math.Log(k/p.Alpha)+k*math.Log(b/p.Xm)-n*math.Log(p.Xm)))
	}
	for _, x := range next {
		density := 0.
		if m := max(p.Xm, x); x >= 0 {
			density = p.Alpha / (p.Alpha + 1) / m * math.Pow(p.Xm/m, p.Alpha)
		}
		t.Add("density at "+show(x), show(density))
	}
	return nil
}

// normalGamma is of real numbers of unknown mean and precision; next are numbers (K. Murphy,
// Conjugate Bayesian analysis of the Gaussian distribution, 2007, section 3).
func normalGamma(prior, data, next []float64, t *terminal.Table) error {
	mu, kappa, a, b := prior[0], prior[1], prior[2], prior[3]
	for _, x := range data {
		b += kappa * (x - mu) * (x - mu) / (2 * (kappa + 1))
		mu = (kappa*mu + x) / (kappa + 1)
		kappa, a = kappa+1, a+.5
	}
	t.Add("posterior", fmt.Sprintf("NormalGamma(%s, %s, %s, %s)", show(mu), show(kappa), show(a), show(b)))
	if kappa == 0 || a == 0 || b == 0 {
		return nil // it is improper, or all numbers are the same
	}
	p := distuv.StudentsT{Mu: mu, Sigma: math.Sqrt(b * (kappa + 1) / (a * kappa)), Nu: 2 * a}
	t.Add("predictive", fmt.Sprintf("Student(%s, %s, %s)", show(p.Mu), show(p.Sigma), show(p.Nu)))
	if k, a0, b0 := prior[1], prior[2], prior[3]; k > 0 && a0 > 0 && b0 > 0 {
		after, _ := math.Lgamma(a)
		before, _ := math.Lgamma(a0)
		t.Add("log evidence", show(after-before+a0*math.Log(b0)-a*math.Log(b)+.5*math.Log(k/kappa)-float64(len(data))/2*math.Log(2*math.Pi)))
	}
	for _, x := range next {
		t.Add("density at "+show(x), show(p.Prob(x)))
	}
	return nil
}
