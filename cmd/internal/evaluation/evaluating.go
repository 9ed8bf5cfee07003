package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
)

// Evaluation is one evaluation as its flags ask for it.
type Evaluation struct {
	*terminal.Streams
	Options

	Train, Test []string // paths
	Walk        corpus.Options
	Attributes  *reading.Attributes // of documents
	Prequential bool                // classify each document, then learn it
	Order       string              // byDate, byHash, or a file that lists the documents; "" is by a hash in folders

	Answers string // the file for answers as JSON lines
	HTML    string // the file for a page with plots
	Program string // its version, for the page

	ParseModel func(name string) (classify.Model, error) // reads the name of a model
}

// Flags adds the flags of an evaluation, with the help of --models.
func (e *Evaluation) Flags(s *pflag.FlagSet, models string) {
	s.StringArrayVar(&e.Train, "train", nil, "learn the documents at `PATH`")
	s.StringArrayVar(&e.Test, "test", nil, "classify the documents at `PATH`")
	s.IntVar(&e.Folds, "folds", 0, "in turns, classify one of `K` parts and learn the others")
	s.BoolVar(&e.Prequential, "prequential", false, "classify each document, then learn it")
	s.StringVar(&e.Order, "order", "", "with --prequential: take documents by date, by hash, or in the\n`ORDER` of the lines of this file")
	s.Func("models", models, e.addModels)
	s.StringVar(&e.Positive, "positive", "", "`CLASS` to look for")
	s.StringVar(&e.Answers, "answers", "", "write the answers to `FILE`, as JSON lines")
	s.StringVar(&e.HTML, "html", "", "write a page with plots to `FILE`")
}

// Check checks what can be checked before documents are read. A misuse is an error about the
// flags.
func (e *Evaluation) Check(paths []string) error {
	heldOut := len(e.Train)+len(e.Test) > 0
	switch {
	case !heldOut && e.Folds == 0 && !e.Prequential:
		return errors.New("eval needs --train and --test, or --folds, or --prequential")
	case heldOut && (e.Folds != 0 || e.Prequential) || e.Folds != 0 && e.Prequential:
		return errors.New("eval takes one of --train with --test, --folds and --prequential")
	case heldOut && (len(e.Train) == 0 || len(e.Test) == 0):
		return errors.New("eval needs both --train and --test; for one set of documents take --folds")
	case heldOut && len(paths) > 0:
		return fmt.Errorf("eval --train --test takes no other paths, not %q", paths[0])
	case !heldOut && len(paths) == 0:
		return errors.New("eval needs a path")
	case e.Order != "" && !e.Prequential:
		return errors.New("--order goes with --prequential")
	case e.Curve && !heldOut:
		return errors.New("--curve goes with --train and --test; --prequential has a curve of its own")
	case e.Baseline != nil && e.Prequential:
		return fmt.Errorf("--%s cannot learn document by document, as --prequential asks", e.Baseline.Name())
	case e.Folds != 0 && e.Folds < 2:
		return fmt.Errorf("--folds %d: want 2 or more", e.Folds)
	case e.Tags && (len(e.Models) > 0 || e.Positive != "" || e.Answers != "" || e.HTML != "" || e.Curve || e.Baseline != nil):
		return errors.New("tags are measured without what is about classes: leave out --models, --positive, --answers, --html and the like")
	}
	return e.checkOutput()
}

// checkOutput refuses files that could not be written, before the work and not after
// it.
func (e *Evaluation) checkOutput() error {
	for _, path := range []string{e.Answers, e.HTML} {
		if path == "-" {
			return errors.New("--answers and --html want the name of a file, not -; results go to standard output")
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s: exists already; name another file, or remove it", path)
		}
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return fmt.Errorf("%s: cannot be written: %w", path, outfile.PlainError(err))
		}
	}
	if e.Answers != "" && filepath.Clean(e.Answers) == filepath.Clean(e.HTML) {
		return fmt.Errorf("%s: answers and page cannot go to one file", e.Answers)
	}
	return nil
}

// Run reads the documents, evaluates, and writes the results.
func (e *Evaluation) Run(ctx context.Context, paths []string) error {
	named := len(e.Models) > 0 || e.Tags // which no model answers
	analyzer, err := tokenize.New(e.Analyzer)
	if !named {
		err = cmp.Or(err, e.addModels("all"))
	}
	if err != nil {
		return err
	}
	e.Attributes.Learns = true
	r := sample{Evaluation: e, analyzer: analyzer}
	if err := r.read(ctx, paths); err != nil {
		return plainError(err)
	}
	if err := e.checkClasses(&r.corpus); err != nil {
		return err
	}
	if len(r.corpus.Terms) == 0 && !named {
		e.Models = []classify.Model{classify.Auto{}}
		r.notes = append(r.notes, "only auto was asked: no document has a term, and the event models differ by terms alone (--models names others)")
	}
	order, err := r.arrange()
	if err != nil {
		return err
	}
	e.Analyzer = analyzer.Spec()
	e.Progress = e.StartBar
	found, err := e.evaluate(ctx, &r.corpus)
	if err != nil {
		return plainError(err)
	}
	found.Order = order
	e.describe(found, paths)
	found.Notes = append(r.notes, found.Notes...)
	if err := e.write(found); err != nil {
		return err
	}
	return r.failed.OrNil()
}

// checkClasses refuses classes that no document has.
func (e *Evaluation) checkClasses(c *Corpus) error {
	asked := decision.ClassesOf(e.Decision)
	if e.Positive != "" {
		asked = append(asked, e.Positive)
	}
	for _, class := range asked {
		if !slices.Contains(c.Classes, class) {
			return fmt.Errorf("no document is of class %q; the classes are %s", class, statistics.Some(c.Classes))
		}
	}
	return nil
}

func (e *Evaluation) evaluate(ctx context.Context, c *Corpus) (*Report, error) {
	switch {
	case e.Folds != 0:
		return Folds(ctx, c, e.Options)
	case e.Prequential:
		return Prequential(ctx, c, e.Options)
	}
	return HeldOut(ctx, c, e.Options)
}

// plainError adds to an interruption that nothing is left behind.
func plainError(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted: nothing was kept")
	}
	return err
}

func (e *Evaluation) write(r *Report) error {
	for i, path := range []string{e.Answers, e.HTML} {
		if path == "" {
			continue
		}
		write := []func(io.Writer, *Report) error{writeAnswers, writeHTML}[i]
		if err := outfile.Write(path, "", false, func(w io.Writer) error { return write(w, r) }); err != nil {
			return err
		}
	}
	switch {
	case e.JSON:
		return e.EncodeJSON(r)
	case e.Quiet:
		return nil
	}
	_, err := e.Stdout.Write(textOf(r))
	return err
}

// describe says in r what was run, and when.
func (e *Evaluation) describe(r *Report, paths []string) {
	var names []string
	for _, path := range slices.Concat(e.Train, e.Test, paths) {
		names = append(names, filepath.Base(path))
	}
	command := terminal.ShellWords(append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)...)
	r.Title = strings.Join(names, ", ")
	r.Facts = [][2]string{{"date", time.Now().Format("2006-01-02 15:04:05 MST")}, {"version", e.Program}, {"command", command}}
}

// ModelNames returns the models that an evaluation compares by default: the one that answers
// by default, and the event models.
func ModelNames() []string {
	names := []string{"auto"}
	for _, m := range model.Models() {
		names = append(names, m.Name())
	}
	return names
}

// addModels adds the models of a list of names; "all" stands for ModelNames.
func (e *Evaluation) addModels(list string) error {
	names := ModelNames()
	if list != "all" {
		names = splitModels(list, e.ParseModel)
	}
	for _, name := range names {
		m, err := e.ParseModel(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.Models, func(o classify.Model) bool { return o.Name() == m.Name() }) {
			return fmt.Errorf("event model %s is named twice", m.Name())
		}
		e.Models = append(e.Models, m)
	}
	return nil
}

// splitModels splits a list at its commas, except commas between parameters of a model: a
// part that can be a parameter of the model before it is one.
func splitModels(list string, parse func(string) (classify.Model, error)) []string {
	var names []string
	for piece := range strings.SplitSeq(list, ",") {
		piece = strings.TrimSpace(piece)
		if n := len(names); n > 0 && strings.Contains(names[n-1], ":") {
			joined := names[n-1] + "," + piece
			if _, err := parse(joined); err == nil {
				names[n-1] = joined
				continue
			}
		}
		names = append(names, piece)
	}
	return names
}
