package main

import (
	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/learning"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func relabelCommand(p *program) *cobra.Command {
	var f revising
	var newClass bool
	cmd := &cobra.Command{
		Use:               "relabel CLASS PATH|ID…",
		Short:             "move learned documents to another class",
		Example:           "    polya relabel ham newsletter.eml",
		Args:              needs(2, -1, "a class and the path or id of a document"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.relabel(cmd, &f, newClass, args[0], args[1:]) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveDefault),
	}
	newClassFlag(cmd, &newClass)
	f.flags(cmd)
	return cmd
}

func (p *program) relabel(cmd *cobra.Command, f *revising, newClass bool, class string, args []string) error {
	if looksLikeDocument(class) {
		return misuse(cmd, "%s is a file, and relabel wants a class before the paths", class)
	}
	if err := checkClassName(cmd, class); err != nil {
		return err
	}
	var isNew func(*count.Class) bool
	return p.revise(cmd, f, args, func(r *learning.Revision) error {
		db := r.Classifier.Store()
		if err := checkNewClass(cmd, db, class, args); err != nil && !newClass {
			return err
		}
		isNew = holdings.NewSince(holdings.Names(db))
		r.Known = func(b *classify.Batch, e *store.Entry, d *reading.Document) error {
			if e.Keep == count.LedgerFull {
				return b.RelabelID(class, e.ID)
			}
			return b.Relabel(class, d.Learnable(e.Source))
		}
		return nil
	}, func(r *learning.Revision) {
		holdings.Report(p.Streams, r.Classifier.Store(), r.Applied, isNew, f.json, "moved %s, already there %s",
			terminal.Grouped(r.Applied.Moved), terminal.Grouped(r.Applied.Already))
	})
}
