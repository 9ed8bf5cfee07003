package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

func forgetCommand(p *program) *cobra.Command {
	var f command.Documents
	class := ""
	cmd := &cobra.Command{
		Use:     "forget PATH|ID…",
		Short:   "take back what was learned of documents",
		Example: "    polya forget letter.eml",
		Args:    command.Needs(1, -1, "the path or id of a document; 'polya undo' takes back what a source taught, or what is old"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.forget(cmd, &f, class, args) },
	}
	cmd.Flags().StringVar(&class, "class", "", "the `CLASS` that they were learned as, for a database without ledger")
	f.Flags(p.Program, cmd)
	p.completeClassFlag(cmd, "class")
	return cmd
}

func (p *program) forget(cmd *cobra.Command, f *command.Documents, class string, args []string) error {
	ids, paths := learning.Named(args)
	return p.over(cmd, paths, f, nil, func(db *classify.Classifier, r *reading.Reader) error {
		forget := learning.Revision{Classifier: db, Reader: r, Forgets: true, Class: class}
		err := forget.Run(cmd.Context(), ids, paths)
		if err == nil || forget.Done() > 0 {
			statistics.Report(p.Streams, db.Store(), forget.Applied, nil, "forgot %s", terminal.Grouped(forget.Applied.Forgotten))
		}
		return err
	})
}

func undoCommand(p *program) *cobra.Command {
	var f classify.Query
	yes := false
	cmd := &cobra.Command{
		Use:   "undo --source NAME | --since TIME | --before TIME",
		Short: "take back all that a source taught, or that was learned in a time",
		Example: `    polya undo --source autolearn --since 2d
    polya undo --before 730d --yes`,
		Args: command.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.Source != nil && *f.Source == "": // an unset variable, more often than everything learned by hand
				return command.Misuse(cmd, "--source '': want the name of a source")
			case f.Source == nil && f.Since.IsZero() && f.Before.IsZero():
				return command.Misuse(cmd, "undo needs --source, --since or --before; 'polya class delete' forgets a class")
			case f.Source == nil && f.Before.After(time.Now()):
				return command.Misuse(cmd, "--before %s is in the future, so that all documents would go", strings.TrimSuffix(f.Before.Local().Format(time.DateTime), " 00:00:00"))
			}
			return p.undo(cmd, f, yes)
		},
	}
	cmd.Flags().Func("source", "only what `NAME` taught", func(name string) error { f.Source = &name; return nil })
	momentFlag(cmd, &f.Since, "since", "only what was learned at `TIME` or later")
	momentFlag(cmd, &f.Before, "before", "only what was learned before `TIME`")
	cmd.Flags().StringVar(&f.Class, "class", "", "only documents of `CLASS`, or with that tag")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "take it back, not only print how much it is")
	p.JSONFlag(cmd)
	p.completeClassFlag(cmd, "class")
	return cmd
}

// undo takes back the documents that f selects, or only lists them.
func (p *program) undo(cmd *cobra.Command, f classify.Query, yes bool) error {
	c, err := p.Open(classify.Options{Holds: classify.Either, Fitting: classify.FitByHand, Store: store.Options{ReadOnly: !yes, MustExist: yes}})
	if err != nil {
		return err
	}
	defer c.Close()
	u := &undoing{Database: c.Store().Path(), Done: yes}
	wait := p.StartBar("looking through", 0)
	u.Undone, err = c.Undo(cmd.Context(), f, !yes)
	wait.Done()
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted: %s documents are taken back; run the same command again to go on", terminal.Grouped(u.Documents))
	case err != nil:
		return err
	case u.Documents+u.Digests == 0 && f.Source != nil:
		err = noSource(cmd.Context(), c.Store(), *f.Source)
	}
	if err == nil && u.Documents+u.Digests == 0 && f.Class != "" {
		_, err = statistics.Class(c.Store(), f.Class)
	}
	if err != nil {
		return err
	}
	u.label(c.Store())
	if yes && u.Documents > 0 {
		if err = p.recalibrate(cmd.Context(), c, "what was asked for is taken back"); err != nil {
			return err
		}
	}
	err = p.Result(u, func() error { u.print(p.Streams, c.Store()); return nil })
	if yes && u.Digests > 0 {
		return fmt.Errorf("%s: of %s more documents the ledger keeps only a digest; give their files to 'polya forget'", u.Database, terminal.Grouped(u.Digests))
	}
	return err
}

// recalibrate calibrates a calibrated database again after its counts have changed. done describes
// the work so far, for an error: that nothing was changed is said of the calibration alone.
func (p *program) recalibrate(ctx context.Context, c *classify.Classifier, done string) error {
	defer p.StartBar("calibrating", 0).Done()
	done += ", but the models are not fitted to what is left"
	switch _, err := c.Recalibrate(ctx); {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted: " + done + "; 'polya calibrate' does that")
	case err != nil:
		return fmt.Errorf("%s: %w", done, err)
	}
	return nil
}

// undoing is the result of 'polya undo', or of its dry run.
type undoing struct {
	Database string `json:"database"`
	Done     bool   `json:"done"` // false for a dry run
	classify.Undone
}

// label names what was taken back by labels: of sets of tags their tags.
func (u *undoing) label(db *store.DB) {
	labels := make(map[string]int, len(u.Classes))
	for class, n := range u.Classes {
		labels[statistics.Label(db, class)] = n
	}
	u.Classes = labels
}

// print prints what was taken back, or would be, and the contents of the database now.
func (u *undoing) print(p *terminal.Streams, db *store.DB) {
	what := terminal.Counted(u.Documents, "document", "documents")
	var of []string
	for _, class := range slices.Sorted(maps.Keys(u.Classes)) {
		of = append(of, terminal.Printable(class)+" "+terminal.Grouped(u.Classes[class]))
	}
	if len(of) > 0 {
		what += " (" + strings.Join(of, ", ") + ")"
	}
	if u.Restored > 0 {
		what += fmt.Sprintf(", %s of them to the class that they had before", terminal.Grouped(u.Restored))
	}
	path := terminal.Printable(u.Database)
	switch {
	case u.Done:
		p.Printf("%s: took back %s; %s\n", path, what, statistics.Now(db, nil))
	case u.Documents == 0:
		p.Printf("%s: no document to take back\n", path)
	default:
		p.Printf("%s: would take back %s; --yes does it\n", path, what)
	}
	if !u.Done && u.Digests > 0 {
		p.Printf("note: of %s more the ledger keeps only a digest; only 'polya forget' takes them back, by their files\n", terminal.Grouped(u.Digests))
	}
	if u.Unlisted > 0 {
		p.Printf("note: %s more were learned without a ledger, so that nobody knows when and from whom\n", terminal.Grouped(u.Unlisted))
	}
}

// noSource returns an error if no document of the ledger is from a source: its name may
// be mistyped.
func noSource(ctx context.Context, db *store.DB, source string) error {
	known := map[string]bool{}
	err := db.View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			known[e.Source] = true
			return ctx.Err()
		})
	})
	if err != nil || known[source] {
		return err
	}
	delete(known, "")
	names := statistics.Some(slices.Sorted(maps.Keys(known)))
	return fmt.Errorf("%s: no document in the ledger was learned from a source called %q; it has %s", db.Path(), source, cmp.Or(names, "none with a name"))
}
