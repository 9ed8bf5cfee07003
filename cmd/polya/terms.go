package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

func termsCommand(p *program) *cobra.Command {
	by, limit := "", 50
	cmd := &cobra.Command{
		Use:   "terms [CLASS|TAG]",
		Short: "print the terms of a class or tag",
		Example: `    polya terms spam --by odds -n 20
    polya terms --by mi`,
		Args:              command.Needs(0, 1, "at most one class"),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.terms(cmd, by, limit, args) },
		ValidArgsFunction: p.classArguments(1, cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().StringVar(&by, "by", "df", "`ORDER`: df, tf, odds or mi")
	command.NumberFlag(cmd, &limit, "terms", "n", 0, "print the first `N` terms, 0 for all")
	p.JSONFlag(cmd)
	command.Complete(cmd, "by", "df", "tf", "odds", "mi")
	return cmd
}

func (p *program) terms(cmd *cobra.Command, by string, limit int, args []string) error {
	switch {
	case !slices.Contains([]string{"df", "tf", "odds", "mi"}, by):
		return command.Misuse(cmd, "terms are not ordered by %q: want df, tf, odds or mi", by)
	case by == "odds" && len(args) == 0:
		return command.Misuse(cmd, "terms --by odds needs a class")
	}
	db, err := p.openToRead()
	if err != nil {
		return err
	}
	defer db.Close()
	class := ""
	if len(args) > 0 {
		class = args[0]
		if _, err := statistics.Class(db, class); err != nil {
			return err
		}
	}
	list, err := readTerms(cmd.Context(), db, class, by, limit)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		p.Note(fmt.Errorf("%s: there are no words to list; 'polya attributes' lists named values", db.Path()))
	}
	return terminal.List(p.Streams, list)
}

type termInfo struct {
	Term        string           `json:"term"`
	Documents   uint64           `json:"documents"`
	Occurrences uint64           `json:"occurrences"`
	LogOdds     *terminal.Number `json:"log_odds,omitempty" text:"log-odds" format:"%+.3f"` // with a class
	MI          *terminal.Number `json:"mi,omitempty" format:"%.6f"`                        // in order of that

	value float64 // by which terms are in order
}

// readTerms returns the first terms of a class or tag, or of all documents if the name is "", in
// the order of --by: limit of them, or all if that is 0. Equals are in order of their names.
func readTerms(ctx context.Context, db *store.DB, class, by string, limit int) ([]*termInfo, error) {
	list := numeric.Shortlist[*termInfo]{Limit: limit, Compare: func(a, b *termInfo) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.Term, b.Term))
	}}
	err := db.View(func(s *store.Snapshot) error {
		own, docs := having(s, class, db.Tags())
		rest := s.Documents() - docs // summed over classes, of which there may be as many as terms
		information := term.Information(s.Classes())
		if own != nil {
			information = term.Against(s.Classes(), own)
		}
		return s.Scan(false, func(term []byte, cells []count.Cell) error {
			t := countTerm(own, docs, rest, cells)
			if t.Documents == 0 || count.OfChannel(term) {
				return nil
			}
			switch by {
			case "df":
				t.value = float64(t.Documents)
			case "tf":
				t.value = float64(t.Occurrences)
			case "odds":
				t.value = float64(*t.LogOdds)
			case "mi":
				t.value = information(cells)
				t.MI = (*terminal.Number)(&t.value)
			}
			t.Term = string(term)
			list.Add(t)
			return ctx.Err()
		})
	})
	return list.First(), err
}

// having returns which classes of s have the name or, in a database of tags, the tag, and the
// number of their documents; nil if the name is "".
func having(s *store.Snapshot, name string, tags bool) (own []bool, docs uint64) {
	if name == "" {
		return nil, 0
	}
	own = make([]bool, len(s.Classes()))
	for i, c := range s.Classes() {
		if own[i] = c.Name == name || tags && slices.Contains(count.Tags(c.Name), name); own[i] {
			docs += c.Docs
		}
	}
	return own, docs
}

// countTerm sums the cells of own classes, which have docs documents and the others rest, or of all if own is nil.
func countTerm(own []bool, docs, rest uint64, cells []count.Cell) *termInfo {
	t := new(termInfo)
	others := uint64(0)
	for i := range cells {
		if own != nil && !own[cells[i].Class] {
			others += cells[i].DF
			continue
		}
		t.Documents += cells[i].DF
		t.Occurrences += cells[i].TF
	}
	if own != nil {
		t.LogOdds = new(terminal.Number(logOdds(t.Documents, docs) - logOdds(others, rest)))
	}
	return t
}

func logOdds(n, all uint64) float64 {
	return math.Log((float64(n) + 0.5) / (float64(all-n) + 0.5))
}
