package statistics

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// The file fits, and not by much; what is left has more evidence than what went.
func TestPruneFitting(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerNone} {
		db, err := store.Open(filepath.Join(t.TempDir(), "size.polya"), store.Options{Ledger: ledger})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		random := rand.New(rand.NewPCG(1, 2))
		var d store.Delta
		for i := range 2000 {
			doc := count.Document{ID: count.DocID{byte(i), byte(i >> 8)}, Class: []string{"ham", "spam"}[i%2]}
			has := map[string]bool{}
			for range 40 {
				has[fmt.Sprintf("%s%d", []string{"some", doc.Class}[random.IntN(2)], int(math.Exp(10*random.Float64())))] = true
			}
			for term := range has {
				doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(term), N: 1})
			}
			if err := d.Add(doc); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
		before, err := db.Size()
		if err != nil {
			t.Fatal(err)
		}
		limit := before / 2
		drop, err := Fitting(ctx, db, limit)
		if err != nil {
			t.Fatal(err)
		}
		var by func([]count.Cell) float64
		if err := db.View(func(s *store.Snapshot) error { by = evidence(s); return nil }); err != nil {
			t.Fatal(err)
		}
		most, least := 0.0, math.Inf(1)
		out, err := db.Prune(ctx, false, func(term []byte, cells []count.Cell) bool {
			goes := drop(term, cells)
			if x := by(cells); goes {
				most = max(most, x)
			} else {
				least = min(least, x)
			}
			return goes
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.After > limit || float64(out.After) < 0.9*float64(limit) || out.Terms == 0 {
			t.Errorf("ledger %s: %+v, want at most %d bytes and not much less", ledger, out, limit)
		}
		if most > least {
			t.Errorf("ledger %s: a term of %v nats has gone, one of %v stays", ledger, most, least)
		}
	}
}
