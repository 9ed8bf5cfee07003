package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/evaluating"
)

func evalCommand(p *program) *cobra.Command {
	var read pathFlags
	e := evaluating.Evaluation{}
	cmd := &cobra.Command{
		Use:   "eval --train PATH --test PATH | eval --folds K PATH… | eval --prequential PATH…",
		Short: "measure how well documents are classified",
		Example: `    polya eval --train mail/2025 --test mail/2026 --html report.html
    polya eval --folds 10 corpus/
    polya eval --prequential --order date corpus/`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			e.Streams, e.Program, e.HasFolds = p.Streams, command.Version("polya"), cmd.Flags().Changed("folds")
			e.FPR, e.Terms, e.Sampling.Seed, e.Sampling.Jobs = []float64{.001, .01}, 10, 1, runtime.GOMAXPROCS(0)
			if e.Walk, err = read.options(cmd, nil, false); err != nil {
				return err
			}
			if err := e.Check(args); err != nil {
				return misuse(cmd, "%w", err)
			}
			return e.Run(cmd.Context(), args)
		},
	}
	s := cmd.Flags()
	s.StringArrayVar(&e.Train, "train", nil, "learn the documents at `PATH`")
	s.StringArrayVar(&e.Test, "test", nil, "classify the documents at `PATH`")
	s.IntVar(&e.Options.Folds, "folds", 0, "in turns, classify one of `K` parts and learn the others")
	s.BoolVar(&e.Prequential, "prequential", false, "classify each document, then learn it")
	s.StringVar(&e.Order, "order", "", "with --prequential: take documents by date, by hash, or in the\n`ORDER` of the lines of this file")
	s.BoolVar(&e.Labelled, "labelled", false, "each document states its class, in folders too")
	s.StringArrayVar(&e.Names, "models", nil, fmt.Sprintf("event `MODELS`, as in auto,dcm; 'polya help models' lists them\n(default %s)", strings.Join(evaluating.ModelNames(), ", ")))
	s.StringVar(&e.Positive, "positive", "", "`CLASS` to look for")
	s.StringVar(&e.Answers, "answers", "", "write the answers to `FILE`, as JSON lines")
	s.StringVar(&e.HTML, "html", "", "write a page with plots to `FILE`")
	s.StringVar(&e.Analyzer, "analyzer", "", "`SPEC` of the analyzer, as in \"polya-5 lang=auto\"; see 'polya help analyzer'")
	jsonFlag(cmd, &e.JSON)
	formatFlag(cmd, &read.format)
	s.StringVar(&read.classColumn, "class-column", "class", "`COLUMN` of a table with the class")
	s.StringVar(&read.textColumn, "text-column", "", "`COLUMN` of a table with a text (default \"text\", if there is one;\n'' for none)")
	complete(cmd, "models", append(evaluating.ModelNames(), "all")...)
	complete(cmd, "order", "date", "hash")
	return cmd
}
