package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/numbergame"
)

// likeliest is the number of hypotheses that are printed.
const likeliest = 5

func gameCommand(l *lab) *cobra.Command {
	var rules bool
	cmd := &cobra.Command{
		Use: "number-game NUMBER…", Short: "say which numbers from 1 to 100 are in a set of which a few are told",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return l.game(rules, args) },
	}
	cmd.Flags().BoolVar(&rules, "rules", false, "32 rules, with Murphy's prior, in place of 34 rules and all intervals")
	return cmd
}

// game prints the most probable hypotheses, and the numbers by the probability that they are in the set.
func (l *lab) game(rules bool, args []string) error {
	space := numbergame.Tenenbaum()
	if rules {
		space = numbergame.Murphy()
	}
	var told []int
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > numbergame.Numbers {
			return fmt.Errorf("%q: want a number from 1 to %d", arg, numbergame.Numbers)
		}
		told = append(told, n)
	}
	p, err := space.Learn(told...)
	if err != nil {
		return err
	}
	order := make([]int, len(space.Hypotheses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Prob[b], p.Prob[a]) })
	t := terminal.Table{Numeric: []bool{true, true, true, false}}
	t.Add("posterior", "likelihood", "size", "hypothesis")
	for _, h := range order[:likeliest] {
		t.Add(fmt.Sprintf("%.4f", p.Prob[h]), fmt.Sprintf("%.2g", p.Likelihood[h]), fmt.Sprint(space.Hypotheses[h].Size), space.Hypotheses[h].Name)
	}
	if err := t.Write(l.Stdout); err != nil {
		return err
	}
	l.Printf("\n")
	for from := 1; from <= numbergame.Numbers; from += 50 {
		line := make([]byte, 50)
		for i := range line {
			line[i] = '0' + byte(min(9, 10*p.Predict(from+i)))
		}
		l.Printf("%3d  %s\n", from, line)
	}
	return nil
}
