package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/conjugate"
)

func posteriorCommand(l *lab) *cobra.Command {
	var prior, next string
	cmd := &cobra.Command{
		Use: "posterior beta|pareto|normal-gamma DATA…", Short: "print what a conjugate prior becomes by data, and what it predicts",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := numbers(args[1:])
			if err != nil {
				return err
			}
			given, err := numbers(split(prior))
			if err != nil {
				return fmt.Errorf("--prior: %w", err)
			}
			asked, err := numbers(split(next))
			if err != nil {
				return fmt.Errorf("--next: %w", err)
			}
			return l.posterior(args[0], given, data, asked)
		},
	}
	cmd.Flags().StringVar(&prior, "prior", "", "`PARAMETERS` of the prior, separated by commas")
	cmd.Flags().StringVar(&next, "next", "", "print what is predicted of `NUMBERS`, separated by commas")
	return cmd
}

// split returns the parts of a list.
func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
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

// posterior prints the posterior of a family.
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

// show returns a number with six digits.
func show(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// beta is of throws, each 1 for yes or 0 for no; next are numbers of throws.
func beta(prior, data, next []float64, t *terminal.Table) error {
	b := conjugate.Beta{A: prior[0], B: prior[1]}
	for _, x := range data {
		switch x {
		case 0:
			b = b.Update(0, 1)
		case 1:
			b = b.Update(1, 0)
		default:
			return fmt.Errorf("%v: want 1 for yes or 0 for no", x)
		}
	}
	yes, no := b.Params()
	t.Add("posterior", fmt.Sprintf("Beta(%s, %s)", show(yes), show(no)))
	t.Add("mean", show(b.Mean()))
	t.Add("mode", show(b.Mode()))
	t.Add("standard deviation", show(b.StdDev()))
	low, high := b.Interval(.95)
	t.Add("95 % interval", show(low)+" to "+show(high))
	t.Add("log evidence", show(b.LogMarginal()))
	for _, n := range next {
		if n < 1 || n > 100 || n != float64(int(n)) {
			return fmt.Errorf("%v throws: want 1 to 100", n)
		}
		for k := range uint64(n) + 1 {
			t.Add(fmt.Sprintf("%d of %v", k, n), show(math.Exp(b.LogTrials(k, uint64(n)))))
		}
	}
	return nil
}

// pareto is of the greatest number, as of the taxis of a town; next are numbers.
func pareto(prior, data, next []float64, t *terminal.Table) error {
	p := conjugate.Pareto{K: prior[0], B: prior[1]}
	for _, x := range data {
		if x < 0 {
			return fmt.Errorf("%v: want 0 or more", x)
		}
		p = p.Update(1, x)
	}
	k, b := p.Params()
	t.Add("posterior", fmt.Sprintf("Pareto(%s, %s)", show(k), show(b)))
	t.Add("mean", show(p.Mean()))
	t.Add("mode", show(p.Mode()))
	t.Add("median", show(p.Quantile(.5)))
	if x := p.LogMarginal(); !math.IsNaN(x) { // the prior is proper
		t.Add("log evidence", show(x))
	}
	for _, x := range next {
		t.Add("density at "+show(x), show(p.Predictive(x)))
	}
	return nil
}

// normalGamma is of real numbers of unknown mean and precision; next are numbers.
func normalGamma(prior, data, next []float64, t *terminal.Table) error {
	d := conjugate.NormalGamma{Mu: prior[0], Kappa: prior[1], A: prior[2], B: prior[3]}
	for _, x := range data {
		d = d.Observe(x)
	}
	mu, kappa, a, b := d.Params()
	t.Add("posterior", fmt.Sprintf("NormalGamma(%s, %s, %s, %s)", show(mu), show(kappa), show(a), show(b)))
	p := d.Predictive()
	t.Add("predictive", fmt.Sprintf("Student(%s, %s, %s)", show(p.Mu), show(p.Sigma), show(p.Nu)))
	t.Add("log evidence", show(d.LogMarginal()))
	for _, x := range next {
		t.Add("density at "+show(x), show(p.Prob(x)))
	}
	return nil
}
