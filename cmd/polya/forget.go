package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
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
	cmd.Flags().StringVar(&f.source, "source", "", "forget what `NAME` taught")
	cmd.Flags().StringVar(&f.since, "since", "", "and only what it taught since `TIME`")
	cmd.Flags().StringVar(&f.class, "class", "", "they were learned as `CLASS` (for a database without ledger)")
	f.revising.flags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("class", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.completeClass(nil)
	})
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
	return p.revise(cmd, &f.revising, args, func(r *revision) error {
		r.known = forgetKnown
		if f.class != "" {
			r.unknown = func(b *classify.Batch, d *reading.Document) error { return b.ForgetAs(f.class, d.Learnable("")) }
		}
		if bySource {
			return r.forgetSource(f.source, since)
		}
		return nil
	}, func(r *revision) {
		holdings.Report(p.Streams, r.classifier.Store(), r.applied, nil, f.json, "forgot %s", terminal.Grouped(r.applied.Forgotten))
	})
}

// forgetKnown puts a document that the ledger knows into the batch.
func forgetKnown(b *classify.Batch, e *store.Entry, d *reading.Document) error {
	if e.Keep == count.LedgerFull {
		b.ForgetID(e.ID)
		return nil
	}
	return b.Forget(d.Learnable(""))
}

// forgetSource puts all that a source taught since a moment into the batch.
func (r *revision) forgetSource(source string, since time.Time) error {
	digests := 0
	known, found := map[string]bool{}, false
	err := r.classifier.Store().View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error {
			if len(known) < maxSources {
				known[e.Source] = true
			}
			found = found || e.Source == source
			switch {
			case e.Source != source || e.Time.Before(since):
			case e.Keep == count.LedgerFull:
				one := single{name: "document " + e.ID.String()}
				one.batch.ForgetID(e.ID)
				r.add(&one)
			default:
				digests++
			}
			return r.ctx.Err()
		})
	})
	if err == nil && !found {
		return r.noSuchSource(source, known)
	}
	if digests > 0 {
		r.failed = append(r.failed, fmt.Errorf("%s: of %s documents from %q the ledger keeps only a digest; give their files to 'polya forget'",
			r.classifier.Store().Path(), terminal.Grouped(digests), source))
	}
	return err
}

// maxSources is how many sources are listed, of a database whose sources may be many.
const maxSources = 1000

// noSuchSource says that the ledger knows no document of a source, and what it knows.
func (r *revision) noSuchSource(source string, known map[string]bool) error {
	db := r.classifier.Store()
	delete(known, "")
	switch names := slices.Sorted(maps.Keys(known)); {
	case db.Ledger() == count.LedgerNone && len(names) == 0:
		return fmt.Errorf("%s: the database keeps no ledger and cannot tell what %q taught", db.Path(), source)
	case len(names) == 0:
		return fmt.Errorf("%s: no document was learned from a source called %q, nor from any that has a name", db.Path(), source)
	default:
		return fmt.Errorf("%s: no document was learned from a source called %q; the sources are %s", db.Path(), source, holdings.Some(names))
	}
}

// parseMoment reads a time, or a duration before now. Empty is the beginning.
func parseMoment(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, errors.New("--since " + strconv.Quote(s) + " is no time: want one as 2026-07-31, 2026-07-31T18:00:00Z, 90m or 7d")
}
