package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

func calibrateCommand(p *program) *cobra.Command {
	var sample int
	var models []classify.Model
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "fit the models to what was learned, and compare them",
		Example: `    polya calibrate
    polya calibrate --sample 10000 --model dcm --model bernoulli:yes=1,no=1`,
		Args: command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.calibrate(cmd, sample, models) },
	}
	cmd.Flags().IntVar(&sample, "sample", 0, "calibrate on about `N` documents, up to 10,000, now and in later trainings\n(default 8,000 with two classes, about 4,000 with many, fewer with very many)")
	command.ValueFlag(cmd, &models, "model", func(name string) ([]classify.Model, error) {
		m, err := classify.ParseModel(name)
		return append(models, m), err
	}, "calibrate `MODEL` too; may be repeated. 'polya help models' lists them")
	p.JSONFlag(cmd)
	command.Complete(cmd, "model", evaluation.ModelNames()[1:]...)
	return cmd
}

func (p *program) calibrate(cmd *cobra.Command, sample int, fitted []classify.Model) error {
	if cmd.Flags().Changed("sample") && sample < statistics.CalibratedFrom {
		return command.Misuse(cmd, "--sample %d: want %d documents or more", sample, statistics.CalibratedFrom)
	}
	return p.change(func(c *classify.Classifier) error {
		path, tags := c.Store().Path(), c.Store().Tags()
		if tags && len(fitted) > 0 {
			return command.Misuse(cmd, "%s has tags, for which there is no --model", path)
		}
		before, err := c.Calibration()
		if err != nil {
			return err
		}
		for _, m := range model.Models() {
			if !tags {
				fitted = append(fitted, m)
			}
		}
		wait := p.StartBar("calibrating", 0)
		k, err := c.Calibrate(cmd.Context(), sample, fitted...)
		wait.Done()
		switch {
		case err != nil:
			return err
		case tags:
			i, err := statistics.Read(c, "")
			if err != nil {
				return err
			}
			return p.Result(i, func() error { return i.Print(p.Streams, "") })
		case k == nil:
			return uncalibrated(c, before)
		}
		j, err := statistics.ReadCalibration(c, k, "", k.Ranking()...)
		if err != nil {
			return err
		}
		j.Database = path
		return p.Result(j, func() error {
			err := terminal.TableOf(j.Models).Write(p.Stdout)
			p.Printf("\n%s: %s\n", terminal.Printable(path), j.Choice())
			return err
		})
	})
}

// uncalibrated says why nothing was calibrated, and whether the earlier calibration was dropped.
func uncalibrated(c *classify.Classifier, before *calibration.Calibration) error {
	db := c.Store()
	after, err := c.Calibration()
	dropped, more := "", "train more"
	if ledger := db.Ledger(); ledger != count.LedgerFull {
		more = fmt.Sprintf("with --ledger %v one training of several classes calibrates, by --folders or --labelled", ledger)
	}
	if before != nil {
		dropped = "; the calibration that it had is dropped"
	}
	classes := len(statistics.Classes(db))
	switch {
	case err != nil:
		return err
	case after != nil:
		return fmt.Errorf("%s: keeps the calibration that it has, by %s: fewer than half as many have counts now; "+
			"--sample N calibrates on those, if there are 20", db.Path(), terminal.Counted(before.Sample, "document", "documents"))
	case classes < 2:
		return fmt.Errorf("%s: cannot be calibrated with fewer than two classes; train another%s", db.Path(), dropped)
	}
	// Two of each class, or with very many classes fewer than that.
	return fmt.Errorf("%s: cannot be calibrated: it takes the counts of %s of two classes or more, which --ledger full keeps; %s%s",
		db.Path(), terminal.Counted(max(statistics.CalibratedFrom, 2*classes), "document", "documents"), more, dropped)
}
