package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/explanation"
	"github.com/polya-classifier/polya/cmd/internal/learning"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type explainFlags struct {
	asking
	command.Documents
	terms int
	all   bool
}

func explainCommand(p *program) *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain PATH|ID",
		Short: "say why a document gets its answer",
		Example: `    polya explain message.eml
    polya explain -n 3 message.eml
    polya explain --all message.eml
    polya explain b22c3b5f354e19c7dec8805c4d35a42b`,
		Args: command.Needs(1, 1, "the path or the id of one document"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.explain(cmd, &f, args[0]) },
	}
	f.terms = 8
	command.NumberFlag(cmd, &f.terms, "terms", "n", 0, "print the `N` strongest terms for the answer, and N against it; 0 for all")
	cmd.Flags().BoolVar(&f.all, "all", false, "print all terms and all classes, in full")
	f.asking.flags(p, cmd, "explain the answer that 'classify --is `CLASS`' gives")
	f.FormatFlag(cmd)
	f.AttributeFlags(cmd)
	p.JSONFlag(cmd)
	return cmd
}

func (p *program) explain(cmd *cobra.Command, f *explainFlags, path string) error {
	if id, isID := learning.IDOf(path); isID {
		return p.explainLearned(cmd, f, id)
	}
	open := func() (*classify.Classifier, error) { return f.open(p, cmd) }
	return p.over(cmd, []string{path}, &f.Documents, open, func(db *classify.Classifier, r *reading.Reader) error {
		x := explanation.Explained{Path: path}
		first := ""
		r.Deliver = func(d *reading.Document) (err error) {
			if first != "" {
				return fmt.Errorf("%s: holds several documents, and explain takes one, such as %s", path, first)
			}
			first = d.Path
			x.ID, x.MessageID = d.ID, d.MessageID
			x.Explanation, err = f.explain(cmd.Context(), db, d.Learnable(""))
			d.Doubt(&x.Result)
			return err
		}
		err := r.Read(cmd.Context(), []string{path})
		if err == nil {
			err = r.Finish()
		}
		if err == nil {
			x.Learned, err = learning.LedgerEntry(db.Store(), x.ID)
		}
		if err != nil {
			return err
		}
		return p.printExplained(f, db.Store(), &x)
	})
}

func (f *explainFlags) explain(ctx context.Context, db *classify.Classifier, doc classify.Document) (classify.Explanation, error) {
	if f.tagger != nil {
		return f.tagger.Explain(ctx, doc, f.is)
	}
	return db.Explain(ctx, doc)
}

func (p *program) printExplained(f *explainFlags, db *store.DB, x *explanation.Explained) error {
	if x.Learned != nil {
		x.Learned.Class = statistics.Label(db, x.Learned.Class)
	}
	x.Most, x.All, x.Costs, x.Tags = f.terms, f.all, len(f.costs) > 0, db.Tags()
	if f.all {
		x.Most = 0
	}
	return x.Print(p.Streams)
}

// explainLearned explains the answer for a learned document without its own counts, in a
// copy of the database that has forgotten it.
func (p *program) explainLearned(cmd *cobra.Command, f *explainFlags, id count.DocID) error {
	original, err := f.open(p, cmd)
	if err != nil {
		return err
	}
	defer original.Close()
	x := explanation.Explained{Path: id.String(), ID: id}
	if x.Learned, err = learning.LedgerEntry(original.Store(), id); err != nil {
		return err
	}
	f.options.Fitting = classify.FitByHand
	db, err := command.Copy(original, f.options)
	if err != nil {
		return err
	}
	defer db.Close()
	doc, err := learning.Learned(db, id)
	if err != nil {
		return fmt.Errorf("%s: %w", original.Store().Path(), err)
	}
	if _, err := db.Forget(cmd.Context(), doc); err != nil {
		return err
	}
	if f.tagger != nil {
		f.tagger, err = taggerOf(cmd, db)
	}
	if err == nil {
		x.Explanation, err = f.explain(cmd.Context(), db, doc)
	}
	if err != nil {
		return err
	}
	return p.printExplained(f, db.Store(), &x)
}
