package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/decision"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/sample"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// check checks the flags and parses lists.
func (f *evalFlags) check(cmd *cobra.Command, args []string) (err error) {
	f.Ordered, f.Shuffled = cmd.Flags().Changed("order"), cmd.Flags().Changed("shuffle")
	f.hasFolds = cmd.Flags().Changed("folds")
	if err := f.checkWay(cmd, args); err != nil {
		return err
	}
	if err := f.checkNumbers(cmd); err != nil {
		return err
	}
	if f.eventModels, err = parseModels(f.models); err != nil {
		return unknownModel(err)
	}
	if f.decision, f.abstain, err = f.deciding.decision(cmd); err != nil {
		return err
	}
	if f.selection, err = f.selecting.selection(cmd); err != nil {
		return err
	}
	if err := f.screening.options(cmd, &f.read); err != nil {
		return err
	}
	if f.rates, err = parseRates(f.fpr); err != nil {
		return misuse(cmd, "%w", err)
	}
	if f.Walk, err = f.pathFlags.options(cmd, nil, false); err != nil {
		return err
	}
	return f.checkOutput(cmd, slices.Concat(f.Train, f.Test, args))
}

// checkOutput refuses files that could not be written, before the work and not after
// it.
func (f *evalFlags) checkOutput(cmd *cobra.Command, inputs []string) error {
	for _, path := range []string{f.answers, f.html} {
		switch path {
		case "":
			continue
		case "-":
			return misuse(cmd, "--answers and --html want the name of a file, not -; results go to standard output")
		}
		for _, input := range inputs {
			if reading.SameFile(path, input) {
				return fmt.Errorf("%s: is read, and cannot be written too; name another file", path)
			}
		}
		info, err := os.Stat(path)
		if err == nil && info.Mode().IsRegular() && !f.force {
			return fmt.Errorf("%s: exists already; name another file, or replace it by --force", path)
		}
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("%s: cannot be written: %w", path, outfile.PlainError(err))
		}
	}
	if f.answers != "" && filepath.Clean(f.answers) == filepath.Clean(f.html) {
		return fmt.Errorf("%s: answers and page cannot go to one file", f.answers)
	}
	return nil
}

// checkWay wants exactly one way to evaluate, and its arguments.
func (f *evalFlags) checkWay(cmd *cobra.Command, args []string) error {
	heldOut, ways := len(f.Train)+len(f.Test) > 0, 0
	for _, way := range []bool{heldOut, f.hasFolds, f.Prequential} {
		if way {
			ways++
		}
	}
	orders := 0
	for _, order := range []bool{f.Ordered, f.Shuffled, f.ByDate} {
		if order {
			orders++
		}
	}
	switch {
	case ways == 0:
		return misuse(cmd, "eval needs --train and --test, or --folds, or --prequential")
	case ways > 1:
		return misuse(cmd, "eval takes one of --train with --test, --folds and --prequential")
	case heldOut && (len(f.Train) == 0 || len(f.Test) == 0):
		return misuse(cmd, "eval needs both --train and --test; for one set of documents take --folds")
	case heldOut && len(args) > 0:
		return misuse(cmd, "eval --train --test takes no other paths, not %q", args[0])
	case !heldOut && len(args) == 0:
		return misuse(cmd, "eval needs a path")
	case f.Folders && f.Labelled:
		return misuse(cmd, "eval takes --folders or --labelled, not both")
	case orders > 1:
		return misuse(cmd, "eval takes one of --order, --shuffle and --by-date")
	case orders > 0 && !f.Prequential:
		return misuse(cmd, "--order, --shuffle and --by-date go with --prequential")
	case f.curve && !heldOut:
		return misuse(cmd, "--curve goes with --train and --test; --prequential has a curve of its own")
	case f.logistic && f.Prequential:
		return misuse(cmd, "--logistic cannot learn document by document, as --prequential asks")
	}
	return nil
}

func (f *evalFlags) checkNumbers(cmd *cobra.Command) error {
	switch {
	case f.hasFolds && f.folds < 2:
		return misuse(cmd, "--folds %d: want 2 or more", f.folds)
	case !cmd.Flags().Changed("variance"):
	case !f.logistic:
		return misuse(cmd, "--variance goes with --logistic")
	case !(f.variance > 0) || math.IsInf(f.variance, 1):
		return misuse(cmd, "--variance %v: want a number above 0", f.variance)
	}
	switch {
	case f.terms < 0:
		return misuse(cmd, "--terms %d: want 0 or more", f.terms)
	}
	return nil
}

// withoutTerms asks only auto if the other models would answer the same.
func (f *evalFlags) withoutTerms(cmd *cobra.Command, r *sample.Sample) {
	if !cmd.Flags().Changed("models") {
		f.eventModels = []classify.Model{classify.Auto{}}
		r.Notes = append(r.Notes, "only auto was asked: no document has a term, and the event models differ by terms alone (--models names others)")
	}
}

// chosen says how answers were chosen, if that is not the default.
func (f *evalFlags) chosen() []string {
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if f.selection.MinDF > 1 {
		add("terms that fewer than %s learned documents have are left out", terminal.Grouped(f.selection.MinDF))
	}
	if f.selection.Best > 0 {
		add("only the best %s terms by %s are used", terminal.Grouped(f.selection.Best), f.selection.By)
	}
	parts := decision.PartsOf(f.decision)
	if !parts.Prior.IsDefault() {
		add("classes are taken to be as probable as this says: %s", f.prior)
	}
	if parts.Costs != nil {
		add("each answer has the least expected cost: %s", strings.Join(f.costs, ", "))
	}
	return notes
}

// parseModels reads lists of names; "all" stands for the model that answers by
// default, and those that classify.Models lists.
func parseModels(lists []string) ([]classify.Model, error) {
	var models []classify.Model
	seen := map[string]bool{}
	for _, list := range lists {
		names := splitModels(list)
		if list == "all" {
			names = modelNames()
		}
		for _, name := range names {
			m, err := classify.ParseModel(name)
			if err != nil {
				return nil, err
			}
			if seen[m.Name()] {
				return nil, fmt.Errorf("event model %s is named twice", m.Name())
			}
			seen[m.Name()] = true
			models = append(models, m)
		}
	}
	return models, nil
}

// splitModels splits a list at its commas, except commas between parameters of a model: a
// part that can be a parameter of the model before it is one.
func splitModels(list string) []string {
	var names []string
	for piece := range strings.SplitSeq(list, ",") {
		piece = strings.TrimSpace(piece)
		if n := len(names); n > 0 && strings.Contains(names[n-1], ":") {
			joined := names[n-1] + "," + piece
			if _, err := classify.ParseModel(joined); err == nil {
				names[n-1] = joined
				continue
			}
		}
		names = append(names, piece)
	}
	return names
}

// parseRates reads rates separated by commas, each a fraction or a percentage.
func parseRates(text string) ([]float64, error) {
	var rates []float64
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		x, err := parseRate(item)
		if err != nil {
			return nil, fmt.Errorf("--fpr %q: want rates such as 0.1%% or 0.001", item)
		}
		rates = append(rates, x)
	}
	return rates, nil
}
