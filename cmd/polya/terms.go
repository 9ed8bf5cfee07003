package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/store"
)

const termsHelp = `Print the terms of CLASS, or of all classes together, with the number of documents
that have each and the number of its occurrences.

They are ordered by documents, the most first, with --by tf by occurrences, with
--by odds by how much more often documents of CLASS have the term than others:
the logarithm of the odds ratio, with half a document added to every count.`

type termsFlags struct {
	by    string
	limit int
	json  bool
}

func termsCommand(p *program) *cobra.Command {
	var f termsFlags
	cmd := &cobra.Command{
		Use:     "terms [CLASS]",
		Short:   "print the terms of a class",
		Long:    termsHelp,
		Example: "    polya terms spam --by odds -n 20",
		Args:    needs(0, 1, "at most one class"),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.terms(cmd, &f, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return p.completeClass(args)
		},
	}
	cmd.Flags().StringVar(&f.by, "by", "df", "`ORDER`: df, tf or odds")
	cmd.Flags().IntVarP(&f.limit, "terms", "n", 50, "print the first `N` terms, 0 for all")
	jsonFlag(cmd, &f.json)
	complete(cmd, "by", "df", "tf", "odds")
	return cmd
}

// termInfo is what 'polya terms' says of a term.
type termInfo struct {
	Term        string  `json:"term"`
	Documents   uint64  `json:"documents"`
	Occurrences uint64  `json:"occurrences"`
	LogOdds     *number `json:"log_odds,omitempty"` // with a class
}

func (p *program) terms(cmd *cobra.Command, f *termsFlags, args []string) error {
	class := ""
	if len(args) > 0 {
		class = args[0]
	}
	order, err := f.order(cmd, len(args) > 0)
	if err != nil {
		return err
	}
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	db, err := store.Open(path, store.Options{ReadOnly: true})
	if err != nil {
		return openError(path, err)
	}
	defer db.Close()
	if len(args) > 0 && classNamed(db, class) == nil {
		return fmt.Errorf("%s: no class %q; 'polya class list' prints the classes", path, class)
	}
	list, err := readTerms(cmd, db, class, order, f.limit)
	if err != nil {
		return err
	}
	return p.printTerms(list, f.json)
}

// order returns the order asked for. Equals are in order of their names.
func (f *termsFlags) order(cmd *cobra.Command, ofClass bool) (func(a, b *termInfo) int, error) {
	byName := func(a, b *termInfo) int { return cmp.Compare(a.Term, b.Term) }
	switch f.by {
	case "df":
		return func(a, b *termInfo) int { return cmp.Or(cmp.Compare(b.Documents, a.Documents), byName(a, b)) }, nil
	case "tf":
		return func(a, b *termInfo) int { return cmp.Or(cmp.Compare(b.Occurrences, a.Occurrences), byName(a, b)) }, nil
	case "odds":
		if !ofClass {
			return nil, misuse(cmd, "terms --by odds needs a class")
		}
		return func(a, b *termInfo) int { return cmp.Or(cmp.Compare(*b.LogOdds, *a.LogOdds), byName(a, b)) }, nil
	}
	return nil, misuse(cmd, "terms are not ordered by %q: want df, tf or odds", f.by)
}

// readTerms returns the first terms in the order given. At no time does it hold
// many more than limit.
func readTerms(cmd *cobra.Command, db *store.DB, class string, order func(a, b *termInfo) int, limit int) ([]*termInfo, error) {
	var list []*termInfo
	err := db.View(func(s *store.Snapshot) error {
		at := slices.IndexFunc(s.Classes(), func(c *store.Class) bool { return c.Name == class })
		err := s.Scan(false, func(term []byte, cells []store.Cell) error {
			t := countTerm(s, at, cells)
			if t.Documents == 0 {
				return nil
			}
			t.Term = string(term)
			list = append(list, t)
			if limit > 0 && len(list) >= 2*limit+1000 {
				slices.SortFunc(list, order)
				list = list[:limit]
			}
			return cmd.Context().Err()
		})
		return err
	})
	slices.SortFunc(list, order)
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, err
}

// countTerm sums the cells of class at, or of all classes if that is negative.
func countTerm(s *store.Snapshot, at int, cells []store.Cell) *termInfo {
	t := new(termInfo)
	others := uint64(0)
	for i := range cells {
		if at >= 0 && cells[i].Class != at {
			others += cells[i].DF
			continue
		}
		t.Documents += cells[i].DF
		t.Occurrences += cells[i].TF
	}
	if at >= 0 {
		docs := s.Classes()[at].Docs
		odds := number(logOdds(t.Documents, docs) - logOdds(others, s.Documents()-docs))
		t.LogOdds = &odds
	}
	return t
}

// logOdds is the logarithm of n : all-n with half a document added to each.
func logOdds(n, all uint64) float64 {
	return math.Log((float64(n) + 0.5) / (float64(all-n) + 0.5))
}

func (p *program) printTerms(list []*termInfo, asJSON bool) error {
	if p.quiet {
		return nil
	}
	if asJSON {
		for _, t := range list {
			if err := p.encodeJSON(t); err != nil {
				return err
			}
		}
		return nil
	}
	t := table{numeric: []bool{false, true, true, true}}
	head := []string{"term", "documents", "occurrences"}
	if len(list) > 0 && list[0].LogOdds != nil {
		head = append(head, "log-odds")
	}
	t.add(head...)
	for _, x := range list {
		row := []string{printable(x.Term), grouped(x.Documents), grouped(x.Occurrences)}
		if x.LogOdds != nil {
			row = append(row, signed(float64(*x.LogOdds)))
		}
		t.add(row...)
	}
	return t.write(p.stdout)
}
