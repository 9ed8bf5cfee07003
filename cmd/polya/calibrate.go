package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type calibrateFlags struct {
	sample int
	models []string
	is     string
	json   bool
}

func calibrateCommand(p *program) *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "fit the models to what was learned, and choose one",
		Example: `    polya calibrate
    polya calibrate --sample 10000 --model dcm --model bernoulli:yes=1,no=1`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.calibrate(cmd, &f) },
	}
	cmd.Flags().IntVar(&f.sample, "sample", 0, "calibrate on about `N` documents, up to 10,000, now and in later trainings\n(default 8,000 with two classes, about 4,000 with many, fewer with very many)")
	repeatedFlag(cmd, &f.models, "model", "calibrate `MODEL` too; may be repeated. 'polya help models' lists them")
	ratesFlag(p, cmd, &f.is)
	jsonFlag(cmd, &f.json)
	complete(cmd, "model", evaluation.ModelNames()[1:]...)
	return cmd
}

func (p *program) calibrate(cmd *cobra.Command, f *calibrateFlags) error {
	models, err := f.parse(cmd)
	if err != nil {
		return err
	}
	c, err := p.openWrite(classify.Options{Holds: classify.Either})
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Store().Tags() {
		return p.calibrateTags(cmd, c, f)
	}
	if err := checkRatesClass(c.Store(), f.is); err != nil {
		return err
	}
	before, err := c.Calibration()
	if err != nil {
		return err
	}
	wait := p.NewFileWait("calibrating", c.Store().Path())
	fitted := slices.Clone(models)
	for _, m := range model.Models() {
		fitted = append(fitted, m)
	}
	k, err := c.Calibrate(cmd.Context(), f.sample, fitted...)
	wait.Done()
	if err != nil {
		return err
	}
	if k == nil {
		return uncalibrated(c, before)
	}
	found, err := statistics.RatesIn(c, k, f.is)
	if err != nil {
		return err
	}
	j := statistics.NewCalibration(c.Store().Path(), k, k.Ranking()...)
	j.Rates = found
	if j.Labels, err = statistics.LabelsIn(c, k, f.is); err != nil {
		return err
	}
	if f.json {
		return p.EncodeJSON(j)
	}
	p.noteUncalibrated(before, k)
	return p.printCalibration(c.Store().Path(), k, j, f.is)
}

// calibrateTags calibrates a database of tags.
func (p *program) calibrateTags(cmd *cobra.Command, c *classify.Classifier, f *calibrateFlags) error {
	if len(f.models) > 0 || f.is != "" {
		return misuse(cmd, "%s has tags, for which there are neither --model nor --is", c.Store().Path())
	}
	wait := p.NewFileWait("calibrating", c.Store().Path())
	err := learning.CalibrateTags(cmd.Context(), c, f.sample)
	wait.Done()
	if err != nil {
		return err
	}
	i, err := statistics.Read(c, "", 0)
	if err != nil {
		return err
	}
	if f.json {
		return p.EncodeJSON(i)
	}
	return i.Print(p.Streams, "")
}

// uncalibrated says why nothing was calibrated, and whether the previous calibration
// remains.
func uncalibrated(c *classify.Classifier, before *calibration.Calibration) error {
	if before == nil {
		return uncalibratable(c.Store())
	}
	after, err := c.Calibration()
	if err != nil {
		return err
	}
	behind := terminal.Counted(before.Sample, "document", "documents")
	if after == nil {
		return fmt.Errorf("%w; the calibration that it had, by %s, is dropped", uncalibratable(c.Store()), behind)
	}
	return fmt.Errorf("%s: keeps the calibration that it has, by %s: fewer than half as many can be scored now; "+
		"--sample N calibrates on those", c.Store().Path(), behind)
}

// noteUncalibrated lists models that have lost their calibration.
func (p *program) noteUncalibrated(before, now *calibration.Calibration) {
	if before == nil {
		return
	}
	for _, m := range before.Models {
		if now.Model(m.Name) == nil {
			p.Note(fmt.Errorf("%s is not calibrated any longer; --model %s does that", m.Name, m.Name))
		}
	}
}

func (f *calibrateFlags) parse(cmd *cobra.Command) ([]classify.Model, error) {
	if cmd.Flags().Changed("sample") && f.sample < statistics.CalibratedFrom {
		return nil, misuse(cmd, "--sample %d: want %d documents or more", f.sample, statistics.CalibratedFrom)
	}
	var models []classify.Model
	for _, name := range f.models {
		m, err := classify.ParseModel(name)
		if err != nil {
			return nil, unknownModel(err)
		}
		models = append(models, m)
	}
	return models, nil
}

// uncalibratable says why there was nothing to calibrate on, and what to do.
func uncalibratable(db *store.DB) error {
	classes := statistics.Classes(db)
	if len(classes) < 2 {
		return fmt.Errorf("%s: cannot be calibrated with fewer than two classes; train another", db.Path())
	}
	full, err := documentsInFull(db)
	if err != nil {
		return err
	}
	// Two of each class, or with very many classes fewer than that.
	needed := max(statistics.CalibratedFrom, 2*len(classes))
	advice := "train more"
	if db.Ledger() != count.LedgerFull {
		advice = fmt.Sprintf("what 'polya train --ledger full' learns from now on counts, a training of that many calibrates by itself, "+
			"and a new database keeps all if its first training has --ledger full (this one keeps %s)", db.Ledger())
	}
	return fmt.Errorf("%s: cannot be calibrated, as the ledger has the counts of %s, and %s of two classes or more are needed; %s",
		db.Path(), terminal.Counted(full, "document", "documents"), terminal.Grouped(needed), advice)
}

// documentsInFull returns the number of documents whose counts are in the ledger.
func documentsInFull(db *store.DB) (full int, err error) {
	err = db.View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			if e.Keep == count.LedgerFull {
				full++
			}
			return nil
		})
	})
	return full, err
}

// printCalibration prints the models from the best to the worst.
func (p *program) printCalibration(path string, k *calibration.Calibration, j *statistics.Calibration, is string) error {
	if p.Quiet {
		return nil
	}
	t := terminal.Table{Numeric: []bool{false, true, false}}
	t.Add("model", "log loss")
	ranking := k.Ranking()
	for _, m := range ranking {
		row := []string{terminal.Printable(m.Name), statistics.Loss(m.Loss)}
		if m.Name == k.Chosen {
			row = append(row, "chosen")
		}
		t.Add(row...)
	}
	if err := t.Write(p.Stdout); err != nil {
		return err
	}
	if err := statistics.PrintRates(p.Streams, j.Rates); err != nil {
		return err
	}
	if err := j.Labels.Print(p.Streams, is); err != nil {
		return err
	}
	p.Printf("\n")
	if len(ranking) > 0 && ranking[0].Name != k.Chosen {
		p.Printf("(stack is chosen unless another is better by more than twice the standard error of\n" +
			"the difference; a model that only --model names is never chosen)\n")
	}
	p.Printf("%s: %s\n", terminal.Printable(path), statistics.Choice(k))
	return nil
}
