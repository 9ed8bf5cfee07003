package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/baseline"
)

// evalFlags holds the flags of an evaluation that polya eval has not.
type evalFlags struct {
	study
	command.Documents
	logistic bool
	variance float64
}

func evalCommand(l *lab) *cobra.Command {
	var f evalFlags
	e := evaluation.Evaluation{Program: "polya-lab", ParseModel: parseModel}
	cmd := &cobra.Command{
		Use:   "eval --train PATH --test PATH | eval --folds K PATH… | eval --prequential PATH…",
		Short: "measure event models with any parameters, a baseline, and how all of them learn",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			e.Streams = l.Streams
			if e.Walk, err = f.Walk(l.Program, cmd); err != nil {
				return err
			}
			if e.Attributes, err = f.Attributes(cmd, nil); err != nil {
				return err
			}
			if err := f.set(cmd, &e); err != nil {
				return err
			}
			if err := e.Check(args); err != nil {
				return err
			}
			return e.Run(cmd.Context(), args)
		},
	}
	s := cmd.Flags()
	e.Flags(s, "event `MODELS`, as in auto,multinomial:log,jm=0.7")
	s.BoolVar(&e.Tags, "tags", false, "the class is a list of tags, separated by commas")
	s.StringVar(&e.Analyzer, "analyzer", "", "`SPEC` of the analyzer")
	s.BoolVar(&f.logistic, "logistic", false, "compare with logistic regression")
	s.Float64Var(&f.variance, "variance", 0, "with --logistic: variance of its prior, `V` (default chosen on the\ndocuments to learn)")
	s.BoolVar(&e.Curve, "curve", false, "with --train: test growing parts of the documents to learn")
	s.Uint64Var(&e.Seed, "seed", 1, "`SEED` of folds, curve, hash and intervals")
	f.study.flags(cmd)
	l.flags(cmd, &f.Documents)
	l.JSONFlag(cmd)
	return cmd
}

func (f *evalFlags) set(cmd *cobra.Command, e *evaluation.Evaluation) error {
	o, err := f.study.options()
	if err != nil {
		return err
	}
	e.Raw, e.Decision = o.Raw, o.Decision
	switch {
	case f.logistic && cmd.Flags().Changed("variance") && (!(f.variance > 0) || math.IsInf(f.variance, 1)):
		return fmt.Errorf("--variance %v: want a number above 0", f.variance)
	case f.logistic:
		e.Baseline = baseline.Logistic{Variance: f.variance}
	case cmd.Flags().Changed("variance"):
		return fmt.Errorf("--variance goes with --logistic")
	}
	return nil
}
