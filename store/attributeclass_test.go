package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// Which class has an attribute in more documents than there are is found by looking
// at each cell, changed or not, once: and asking again reads nothing again.
func TestAttributesWithin(t *testing.T) {
	fast(t)
	rng := rand.New(rand.NewPCG(1, 2))
	db := open(t, tempDB(t), Options{Ledger: count.LedgerNone})
	most := make(map[uint32]uint64) // documents of a class with its most frequent attribute
	names := []string{"c", "u", "x", "y"}
	var d Delta
	for i := range 200 {
		class := rng.IntN(5)
		list := []count.Attribute{categoryOf("v"), uniformOf(float64(i)), realOf(float64(i) / 3), yesNoOf(1)}
		d.Add(withAttributes(i, fmt.Sprint(class), list[:rng.IntN(5)]...))
	}
	if _, err := db.Apply(&d); err != nil {
		t.Fatal(err)
	}
	db.file.View(func(tx *bolt.Tx) error {
		for _, name := range names {
			var row attributes.Row
			if err := attributes.ReadRow([]byte(name), tx.Bucket(stored.BucketAttribute).Get([]byte(name)), &row); err != nil {
				t.Fatal(err)
			}
			for _, c := range row.Cells {
				most[c.Class] = max(most[c.Class], c.N)
			}
		}
		for _, changed := range [][]string{nil, {"x"}, {"c", "u"}, names} {
			sums := attributes.NewChanges(layout.Tx{Tx: tx})
			for _, name := range changed {
				if _, err := sums.Row(name); err != nil {
					t.Fatal(err)
				}
			}
			exactly := func(class uint32) uint64 { return most[class] }
			if class, found, err := sums.Overcounted(exactly); found || err != nil {
				t.Errorf("class %d has too few documents, %v", class, err)
			}
			for class := range most {
				short := func(c uint32) uint64 { return most[c] - min(1, uint64(c/class)) } // this class and some above
				if got, found, _ := sums.Overcounted(short); !found || got != class {
					t.Errorf("%v changed: class %d, %v, want %d", changed, got, found, class)
				}
			}
			if n := testing.AllocsPerRun(10, func() { sums.Overcounted(exactly) }); n != 0 {
				t.Errorf("%v changed: rows are read again, with %v allocations", changed, n)
			}
		}
		// What has changed since the file was read counts as it is now.
		sums := attributes.NewChanges(layout.Tx{Tx: tx})
		fewer := func(class uint32) uint64 { return most[class] - uint64(1/class) }
		if _, found, _ := sums.Overcounted(fewer); !found {
			t.Error("a class with a document fewer is not found")
		}
		for _, name := range names {
			row, err := sums.Row(name)
			if err != nil {
				t.Fatal(err)
			}
			if at, found := row.Find(1); found {
				row.Cells[at].N = min(row.Cells[at].N, fewer(1))
			}
		}
		if _, found, _ := sums.Overcounted(fewer); found {
			t.Error("what was changed is still counted")
		}
		return nil
	})
}

// Classes are found by name and by id in whichever order they come.
func TestClassInserted(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	got, want := new(totals.Totals), new(totals.Totals)
	for id, n := range rng.Perm(50) {
		c := &count.Class{ID: count.ClassID(id + id/7), Name: fmt.Sprintf("class%02d", n)}
		old := got.Index
		shared := fmt.Sprint(old)
		got = got.Clone()
		if got.Insert(c); got.Classes[got.At(c.ID)] != c {
			t.Errorf("class %d is not at %d", c.ID, got.At(c.ID))
		}
		if fmt.Sprint(old) != shared {
			t.Fatal("the index of a reader was changed")
		}
		want.Classes = append(want.Classes, c)
		want.Order()
		if fmt.Sprint(got.Classes, got.Index) != fmt.Sprint(want.Classes, want.Index) {
			t.Fatalf("%v, want %v", got.Index, want.Index)
		}
	}
}
