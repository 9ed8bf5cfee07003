package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/similar"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

type similarFlags struct {
	command.Documents
	in    []string
	limit int
	paper bool
}

func similarCommand(l *lab) *cobra.Command {
	var f similarFlags
	cmd := &cobra.Command{
		Use:     "similar PATH… --in DIR",
		Short:   "find the documents that are like a few given",
		Example: `    polya-lab similar trip1.eml trip2.eml --in ~/Maildir`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return l.over(cmd, &f.Documents, classify.Options{Holds: classify.Either}, func(db *classify.Classifier, r *reading.Reader) error {
				return f.search(cmd.Context(), db, r, args)
			})
		},
	}
	cmd.Flags().StringArrayVar(&f.in, "in", nil, "look for them in `DIR`")
	cmd.Flags().IntVarP(&f.limit, "documents", "n", 20, "print the first `N` documents, 0 for all")
	cmd.Flags().BoolVar(&f.paper, "bayesian-sets", false, "use the score of the paper, without improvements")
	l.flags(cmd, &f.Documents)
	return cmd
}

// candidate is a document that was compared with the set.
type candidate struct {
	similar.Similarity
	path string
}

// search ranks the documents of f.in by how well they fit into a set with the documents at paths, and
// prints the best.
func (f *similarFlags) search(ctx context.Context, db *classify.Classifier, r *reading.Reader, paths []string) error {
	if len(f.in) == 0 {
		return errors.New("similar needs --in DIR, where to look")
	}
	given, docs := map[count.DocID]bool{}, []count.Document(nil)
	r.Deliver = func(d *reading.Document) error {
		if !given[d.ID] {
			given[d.ID] = true
			docs = append(docs, count.Document{Terms: termsOf(d)})
		}
		return nil
	}
	if err := errors.Join(r.Read(ctx, paths), r.Failed.OrNil()); err != nil {
		return err
	}
	set, err := similar.New(ctx, db.Store(), docs, f.paper)
	if err != nil {
		return fmt.Errorf("%s: %w", db.Store().Path(), err)
	}
	best := numeric.Shortlist[candidate]{Limit: f.limit, Compare: func(a, b candidate) int {
		if f.paper {
			return cmp.Compare(b.LogRatio, a.LogRatio)
		}
		return cmp.Compare(b.Score, a.Score)
	}}
	r.Deliver = func(d *reading.Document) error {
		if !given[d.ID] {
			best.Add(candidate{set.Score(termsOf(d)), d.Path})
		}
		return nil
	}
	r.Bar = reading.NewBar(r.Streams, f.in, r.Options)
	err = r.Read(ctx, f.in)
	r.Bar.Done()
	if err != nil {
		return err
	}
	for _, c := range best.First() {
		r.Printf("%.4f\t%.2f\t%s\n", c.Score, c.LogRatio, terminal.Printable(c.path))
	}
	return r.Failed.OrNil()
}

func termsOf(d *reading.Document) (terms []count.TermCount) {
	for i := range d.Bag.Len() {
		term, n := d.Bag.At(i)
		terms = append(terms, count.TermCount{Term: append([]byte(nil), term...), N: uint8(n)})
	}
	return terms
}
