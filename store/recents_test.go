package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// What memory says of the last record of a document is what a scan of the log finds, for each of
// many readers that began at different times, whatever is learned, moved, forgotten or merged.
func TestLastRecord(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	shortTails(t)
	db := open(t, filepath.Join(t.TempDir(), "db"), Options{})
	r := rand.New(rand.NewPCG(1, 2))
	check := func(s *Snapshot) {
		for i := range 60 {
			id := attributed(i, "ham").ID
			want, err := s.tx.LastOf(id)
			got, failed := s.recent.Last(s.tx, id, s.seq)
			if err != nil || failed != nil || (want == nil) != (got == nil) || want != nil && !reflect.DeepEqual(*got, layout.RecentOf(want)) {
				t.Errorf("document %d at %d: %+v, %v, want %+v, %v", i, s.seq, got, failed, want, err)
			}
		}
	}
	var within func(depth int)
	within = func(depth int) {
		for range 12 {
			var d Delta
			doc := attributed(r.IntN(60), []string{"ham", "spam"}[r.IntN(2)])
			if r.IntN(4) == 0 {
				d.Forget(doc.ID)
			} else if err := d.Add(doc); err != nil {
				t.Fatal(err)
			}
			_, _ = db.Apply(&d) // it may not be learned
		}
		err := db.View(func(s *Snapshot) error {
			if s.recent == nil {
				return fmt.Errorf("no recent documents")
			}
			check(s)
			if depth > 0 {
				within(depth - 1)
				check(s)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		within(8)
	}
}
