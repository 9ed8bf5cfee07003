package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type forgetFlags struct {
	revising
	class, older string
	yes          bool
}

func forgetCommand(p *program) *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:   "forget PATH|ID… | forget --older-than TIME",
		Short: "take back what was learned of documents",
		Example: `    polya forget letter.eml
    polya forget --older-than 730d --yes`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.forget(cmd, &f, args) },
	}
	cmd.Flags().StringVar(&f.older, "older-than", "", "forget all documents that were learned before `TIME`")
	cmd.Flags().StringVar(&f.class, "class", "", "with --older-than: only documents of `CLASS`, or with that tag; otherwise the class that\nthey were learned as (for a database without ledger)")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "with --older-than: forget them, not only print how many they are")
	f.revising.flags(cmd)
	p.completeClassFlag(cmd, "class")
	return cmd
}

func (p *program) forget(cmd *cobra.Command, f *forgetFlags, args []string) error {
	aged := cmd.Flags().Changed("older-than")
	switch {
	case aged && len(args) > 0:
		return misuse(cmd, "forget takes documents or --older-than, not both")
	case aged:
		before, err := momentFlag(cmd, "older-than")
		if err == nil && before.After(time.Now()) {
			err = misuse(cmd, "--older-than %s is in the future, so that all documents would go", f.older)
		}
		if err != nil {
			return err
		}
		return p.undo(cmd, classify.Query{Class: f.class, Before: before}, f.yes, f.json)
	case f.yes:
		return misuse(cmd, "forget --yes needs --older-than")
	case len(args) == 0:
		return misuse(cmd, "forget needs the path or id of a document, or --older-than; 'polya undo' takes back what a source taught")
	}
	return p.revise(cmd, &f.revising, args, func(r *learning.Revision) error {
		r.Known = forgetKnown
		if f.class != "" {
			r.Unknown = func(b *classify.Batch, d *reading.Document) error {
				doc := d.Learnable("")
				return b.Delta().Take(doc.Counted(f.class, nil))
			}
		}
		return nil
	}, func(r *learning.Revision) {
		statistics.Report(p.Streams, r.Classifier.Store(), r.Applied, nil, f.json, "forgot %s", terminal.Grouped(r.Applied.Forgotten))
	})
}

func forgetKnown(b *classify.Batch, e *store.Entry, d *reading.Document) error {
	if e.Keep == count.LedgerFull {
		b.Delta().Forget(e.ID)
		return nil
	}
	return b.Forget(d.Learnable(""))
}

func undoCommand(p *program) *cobra.Command {
	var source, class string
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "undo --source NAME | --since TIME",
		Short: "take back all that a source taught, or that was learned since a moment",
		Example: `    polya undo --source autolearn --since 2d
    polya undo --source autolearn --since 2d --yes`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := classify.Query{Class: class}
			if cmd.Flags().Changed("source") {
				f.Source = &source
			}
			var err, failed error
			f.Since, err = momentFlag(cmd, "since")
			f.Before, failed = momentFlag(cmd, "before")
			switch {
			case err != nil || failed != nil:
				return cmp.Or(err, failed)
			case f.Source != nil && source == "": // an unset variable, more often than everything learned by hand
				return misuse(cmd, "--source '': want the name of a source")
			case f.Source == nil && f.Since.IsZero():
				return misuse(cmd, "undo needs --source or --since; 'polya class delete' forgets a class")
			}
			return p.undo(cmd, f, yes, asJSON)
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "only what `NAME` taught")
	cmd.Flags().String("since", "", "only what was learned at `TIME` or later")
	cmd.Flags().String("before", "", "only what was learned before `TIME`")
	cmd.Flags().StringVar(&class, "class", "", "only documents of `CLASS`, or with that tag")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "take it back, not only print how much it is")
	jsonFlag(cmd, &asJSON)
	p.completeClassFlag(cmd, "class")
	return cmd
}

// undo takes back the documents that f selects, or only lists them.
func (p *program) undo(cmd *cobra.Command, f classify.Query, yes, asJSON bool) error {
	yes = yes && !p.DryRun
	open := p.openRead
	if yes {
		open = p.openWrite
	}
	c, err := open(classify.Options{Holds: classify.Either, Fitting: classify.FitByHand})
	if err != nil {
		return err
	}
	defer c.Close()
	u := &learning.Undoing{Database: c.Store().Path(), Done: yes}
	wait := p.NewFileWait("looking through", u.Database)
	u.Undone, err = c.Undo(cmd.Context(), f, !yes)
	wait.Done()
	switch {
	case isInterrupted(err):
		return fmt.Errorf("interrupted: %s documents are taken back; run the same command again to go on", terminal.Grouped(u.Documents))
	case err != nil:
		return err
	case u.Documents+u.Digests == 0 && f.Source != nil:
		err = learning.NoSource(cmd.Context(), c.Store(), *f.Source)
	}
	if err == nil && u.Documents+u.Digests == 0 && f.Class != "" {
		_, err = statistics.Class(c.Store(), f.Class)
	}
	if err != nil {
		return err
	}
	if yes && u.Documents > 0 {
		if u.Calibrated, err = p.recalibrate(cmd.Context(), c, "what was asked for is taken back"); err != nil {
			return err
		}
	}
	if asJSON {
		err = p.EncodeJSON(u.JSON(c.Store()))
	} else {
		u.Print(p.Streams, c.Store())
	}
	if yes && u.Digests > 0 {
		return fmt.Errorf("%s: of %s more documents the ledger keeps only a digest; give their files to 'polya forget'", u.Database, terminal.Grouped(u.Digests))
	}
	return err
}

// recalibrate calibrates a database again after its counts have changed. It returns nil if
// the database was not calibrated or has too few documents. done describes the work so far,
// for an interruption.
func (p *program) recalibrate(ctx context.Context, c *classify.Classifier, done string) (*calibration.Calibration, error) {
	wait := p.NewFileWait("calibrating", c.Store().Path())
	defer wait.Done()
	if c.Store().Tags() {
		return nil, learning.CalibrateTags(ctx, c, 0)
	}
	k, err := c.Recalibrate(ctx)
	if isInterrupted(err) {
		return nil, errors.New("interrupted: " + done + ", but the models are not fitted to what is left; 'polya calibrate' does that")
	}
	return k, err
}
