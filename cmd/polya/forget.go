package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/learning"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type forgetFlags struct {
	revising
	class, source, since string
}

func forgetCommand(p *program) *cobra.Command {
	var f forgetFlags
	cmd := &cobra.Command{
		Use:   "forget PATH|ID… | forget --source NAME [--since TIME]",
		Short: "take back what was learned",
		Example: `    polya forget letter.eml
    polya forget --source autolearn --since 2d`,
		RunE: func(cmd *cobra.Command, args []string) error { return p.forget(cmd, &f, args) },
	}
	cmd.Flags().StringVar(&f.source, "source", "", "forget the documents that `NAME` taught")
	cmd.Flags().StringVar(&f.since, "since", "", "with --source: only those taught since `TIME`")
	cmd.Flags().StringVar(&f.class, "class", "", "the class that they were learned as, `CLASS` (for a database without ledger)")
	f.revising.flags(cmd)
	p.completeClassFlag(cmd, "class")
	return cmd
}

func (p *program) forget(cmd *cobra.Command, f *forgetFlags, args []string) error {
	bySource := cmd.Flags().Changed("source")
	switch {
	case bySource && len(args) > 0:
		return misuse(cmd, "forget takes documents or --source, not both")
	case !bySource && len(args) == 0:
		return misuse(cmd, "forget needs the path or id of a document, or --source")
	case bySource && f.source == "": // an unset variable, more often than all that was learned by hand
		return misuse(cmd, "--source '': want the name of a source")
	case f.since != "" && !bySource:
		return misuse(cmd, "forget --since needs --source")
	}
	since, err := parseMoment(f.since, time.Now())
	if err != nil {
		return misuse(cmd, "%w", err)
	}
	return p.revise(cmd, &f.revising, args, func(r *learning.Revision) error {
		r.Known = forgetKnown
		if f.class != "" {
			r.Unknown = func(b *classify.Batch, d *reading.Document) error { return b.ForgetAs(f.class, d.Learnable("")) }
		}
		if bySource {
			return r.ForgetSource(f.source, since)
		}
		return nil
	}, func(r *learning.Revision) {
		holdings.Report(p.Streams, r.Classifier.Store(), r.Applied, nil, f.json, "forgot %s", terminal.Grouped(r.Applied.Forgotten))
	})
}

func forgetKnown(b *classify.Batch, e *store.Entry, d *reading.Document) error {
	if e.Keep == count.LedgerFull {
		b.ForgetID(e.ID)
		return nil
	}
	return b.Forget(d.Learnable(""))
}
