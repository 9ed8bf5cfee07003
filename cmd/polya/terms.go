package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/polya/internal/holdings"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

type termsFlags struct {
	by    string
	limit int
	json  bool
	languageFlags
}

func termsCommand(p *program) *cobra.Command {
	var f termsFlags
	cmd := &cobra.Command{
		Use:   "terms [CLASS]",
		Short: "print the terms of a class",
		Example: `    polya terms spam --by odds -n 20
    polya terms spam --predictive --alpha 1
    polya terms spam --predictive --closed`,
		Args: needs(0, 1, "at most one class"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.terms(cmd, &f, args) },
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return p.completeClass(args)
		},
	}
	cmd.Flags().StringVar(&f.by, "by", "df", "`ORDER`: df, tf, odds, mi, mi-tokens or chi2")
	f.limit = 50
	numberFlag(cmd, &f.limit, "terms", "n", 0, "print the first `N` terms, 0 for all")
	f.languageFlags.flags(cmd)
	jsonFlag(cmd, &f.json)
	complete(cmd, "by", append([]string{"df", "tf", "odds"}, measureNames()...)...)
	return cmd
}

// termInfo is what 'polya terms' says of a term.
type termInfo struct {
	Term        string           `json:"term"`
	Documents   uint64           `json:"documents"`
	Occurrences uint64           `json:"occurrences"`
	LogOdds     *terminal.Number `json:"log_odds,omitempty"` // with a class

	// The measure asked for, if one was.
	MI       *terminal.Number `json:"mi,omitempty"`
	MITokens *terminal.Number `json:"mi_tokens,omitempty"`
	Chi2     *terminal.Number `json:"chi2,omitempty"`
	value    float64
}

func (t *termInfo) set(m term.Measure, value float64) {
	t.value = value
	n := terminal.Number(value)
	switch m {
	case term.MI:
		t.MI = &n
	case term.MITokens:
		t.MITokens = &n
	case term.Chi2:
		t.Chi2 = &n
	}
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
	if err := f.languageFlags.check(cmd, len(args) > 0); err != nil {
		return err
	}
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	db, err := p.openStore(path)
	if err != nil {
		return openError(path, err)
	}
	defer db.Close()
	if len(args) > 0 && holdings.Class(db, class) == nil {
		return holdings.NoSuchClass(path, class)
	}
	if f.predictive {
		return p.language(cmd, db, f, class)
	}
	list, err := readTerms(cmd, db, class, order, f.limit)
	if err != nil {
		return err
	}
	return p.printTerms(list, order, f.json)
}

// termOrder is an order of terms. Equals are in order of their names.
type termOrder struct {
	compare  func(a, b *termInfo) int
	measured bool // whether it is that of a measure
	measure  term.Measure
}

func (o *termOrder) full(a, b *termInfo) int {
	return cmp.Or(o.compare(a, b), cmp.Compare(a.Term, b.Term))
}

// order returns the order asked for.
func (f *termsFlags) order(cmd *cobra.Command, ofClass bool) (termOrder, error) {
	switch f.by {
	case "df":
		return termOrder{compare: func(a, b *termInfo) int { return cmp.Compare(b.Documents, a.Documents) }}, nil
	case "tf":
		return termOrder{compare: func(a, b *termInfo) int { return cmp.Compare(b.Occurrences, a.Occurrences) }}, nil
	case "odds":
		if !ofClass {
			return termOrder{}, misuse(cmd, "terms --by odds needs a class")
		}
		return termOrder{compare: func(a, b *termInfo) int { return cmp.Compare(*b.LogOdds, *a.LogOdds) }}, nil
	}
	m, err := term.ParseMeasure(f.by)
	if err != nil {
		return termOrder{}, misuse(cmd, "terms are not ordered by %q: want df, tf, odds, mi, mi-tokens or chi2", f.by)
	}
	return termOrder{func(a, b *termInfo) int { return cmp.Compare(b.value, a.value) }, true, m}, nil
}

// readTerms returns the first terms in the order given. At no time does it hold
// many more than limit.
func readTerms(cmd *cobra.Command, db *store.DB, class string, order termOrder, limit int) ([]*termInfo, error) {
	var list []*termInfo
	err := db.View(func(s *store.Snapshot) error {
		at := slices.IndexFunc(s.Classes(), func(c *count.Class) bool { return c.Name == class })
		measure := measureTerms(s, at, order.measure)
		err := s.Scan(false, func(term []byte, cells []count.Cell) error {
			t := countTerm(s, at, cells)
			if t.Documents == 0 {
				return nil
			}
			if order.measured {
				t.set(order.measure, measure(cells))
			}
			t.Term = string(term)
			list = append(list, t)
			if limit > 0 && len(list) >= 2*limit+1000 {
				slices.SortFunc(list, order.full)
				list = list[:limit]
			}
			return cmd.Context().Err()
		})
		return err
	})
	slices.SortFunc(list, order.full)
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, err
}

// countTerm sums the cells of class at, or of all classes if that is negative.
func countTerm(s *store.Snapshot, at int, cells []count.Cell) *termInfo {
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
		odds := terminal.Number(logOdds(t.Documents, docs) - logOdds(others, s.Documents()-docs))
		t.LogOdds = &odds
	}
	return t
}

// measureTerms returns the measure of rows, for class at against the rest, or for
// all classes if that is negative.
func measureTerms(s *store.Snapshot, at int, m term.Measure) func([]count.Cell) float64 {
	if at < 0 {
		return m.Prepare(s.Classes())
	}
	var own, rest count.Class
	for i, class := range s.Classes() {
		sum := &rest
		if i == at {
			sum = &own
		}
		sum.Docs += class.Docs
		sum.Tokens += class.Tokens
	}
	measure := m.Prepare([]*count.Class{&own, &rest})
	return func(cells []count.Cell) float64 {
		two := []count.Cell{{Class: 0}, {Class: 1}}
		for i := range cells {
			sum := &two[1]
			if cells[i].Class == at {
				sum = &two[0]
			}
			sum.DF += cells[i].DF
			sum.TF += cells[i].TF
		}
		return measure(two)
	}
}

// logOdds is the logarithm of n : all-n with half a document added to each.
func logOdds(n, all uint64) float64 {
	return math.Log((float64(n) + 0.5) / (float64(all-n) + 0.5))
}

func (p *program) printTerms(list []*termInfo, order termOrder, asJSON bool) error {
	if p.Quiet {
		return nil
	}
	if asJSON {
		for _, t := range list {
			if err := p.EncodeJSON(t); err != nil {
				return err
			}
		}
		return nil
	}
	t := terminal.Table{Numeric: []bool{false, true, true, true, true}}
	head := []string{"term", "documents", "occurrences"}
	if len(list) > 0 && list[0].LogOdds != nil {
		head = append(head, "log-odds")
	}
	if order.measured {
		head = append(head, order.measure.String())
	}
	t.Add(head...)
	for _, x := range list {
		row := []string{terminal.Printable(x.Term), terminal.Grouped(x.Documents), terminal.Grouped(x.Occurrences)}
		if x.LogOdds != nil {
			row = append(row, terminal.Signed(float64(*x.LogOdds)))
		}
		switch {
		case !order.measured:
		case order.measure == term.Chi2:
			row = append(row, fmt.Sprintf("%.2f", x.value))
		default:
			row = append(row, fmt.Sprintf("%.6f", x.value))
		}
		t.Add(row...)
	}
	return t.Write(p.Stdout)
}
