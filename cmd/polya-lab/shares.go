package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// sharesCommand prints p(term in document | class), the Bernoulli model's feature densities, of the
// most frequent terms, as counted.
func sharesCommand(l *lab) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "shares", Short: "print the share of the documents of each class that have the most frequent terms",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var t terminal.Table
			err := l.view(func(s *store.Snapshot, _ *store.DB) error {
				head := []string{"term", "all"}
				for _, class := range s.Classes() {
					head = append(head, terminal.Printable(class.Name))
				}
				t.Add(head...)
				first := numeric.Shortlist[row]{Limit: limit, Compare: func(a, b row) int {
					return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.cells[0], b.cells[0]))
				}}
				err := s.Scan(false, func(name []byte, cells []count.Cell) error {
					if count.OfChannel(name) {
						return nil
					}
					in := make([]uint64, len(s.Classes()))
					for _, cell := range cells {
						in[cell.Class] = cell.DF
					}
					r := row{docs: term.Frequency(cells)}
					r.cells = []string{terminal.Printable(string(name)), share(r.docs, s.Documents())}
					for i, class := range s.Classes() {
						r.cells = append(r.cells, share(in[i], class.Docs))
					}
					first.Add(r)
					return cmd.Context().Err()
				})
				for _, r := range first.First() {
					t.Add(r.cells...)
				}
				return err
			})
			if err != nil {
				return err
			}
			t.NumbersFrom(1)
			return t.Write(l.Stdout)
		},
	}
	cmd.Flags().IntVarP(&limit, "terms", "n", 600, "of the `N` most frequent terms, 0 for all")
	return cmd
}

// row is a term with its shares.
type row struct {
	docs  uint64
	cells []string
}

func share(n, of uint64) string { return fmt.Sprintf("%.4f", float64(n)/float64(max(of, 1))) }
