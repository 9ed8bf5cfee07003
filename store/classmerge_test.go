package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// A merged database dumps the very bytes of one that learned all documents as the
// one class, whatever was merged, in the log or forgotten before, and the class
// that takes the others has them forgotten exactly.
func TestMergeClass(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for _, mode := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		t.Run(mode.String(), func(t *testing.T) {
			fast(t)
			merged, plain := open(t, tempDB(t), Options{Ledger: mode}), open(t, tempDB(t), Options{Ledger: mode})
			var last count.Document
			for i := range 400 {
				class := []string{"ham", "junk", "spam"}[i%3]
				into := class
				if class == "junk" {
					into, last = "spam", attributed(i, "spam")
				}
				for db, class := range map[*DB]string{merged: class, plain: into} {
					var d Delta
					if err := d.Add(attributed(i, class)); err != nil {
						t.Fatal(err)
					}
					if _, err := db.Apply(&d); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := merged.MergeClass(context.Background(), "junk", "spam"); err != nil {
				t.Fatal(err)
			}
			mustEqualText(t, dumpOf(t, merged, true), dumpOf(t, plain, true))
			mustCheck(t, merged)
			for _, db := range []*DB{merged, plain} {
				var d Delta
				if err := d.Take(last); err != nil {
					t.Fatal(err)
				}
				if _, err := db.Apply(&d); err != nil {
					t.Fatal(err)
				}
			}
			mustEqualText(t, dumpOf(t, merged, true), dumpOf(t, plain, true))
			mustCheck(t, merged)
		})
	}
}

// What cannot be merged changes nothing.
func TestMergeClassRefused(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	for i := range 4 {
		var d Delta
		d.Add(attributed(i, fmt.Sprint("class", i%2)))
		if _, err := db.Apply(&d); err != nil {
			t.Fatal(err)
		}
	}
	before := dumpOf(t, db, true)
	for _, c := range []struct {
		from, into string
		want       error
	}{{"class0", "class0", count.ErrInvalid}, {"class0", "none", ErrNoClass}, {"none", "class0", ErrNoClass}, {"none", "none", ErrNoClass}} {
		if err := db.MergeClass(context.Background(), c.from, c.into); !errors.Is(err, c.want) {
			t.Errorf("%s into %s: %v, want %v", c.from, c.into, err, c.want)
		}
	}
	mustEqualText(t, dumpOf(t, db, true), before)
}

// A process that is killed once two classes are one leaves no document in the class that is gone,
// however many documents the ledger has.
func TestMergeClassKilled(t *testing.T) {
	t.Parallel()
	fast(t)
	db := open(t, tempDB(t), Options{})
	for i := range 60 {
		add(t, db, attributed(i, []string{"ham", "junk"}[i%2]))
	}
	err := db.admin(func() error {
		if err := db.rememberLocked(true); err != nil {
			return err
		}
		return db.update(func(tx layout.Tx) (*memory, error) {
			b, err := db.newBulk(t.Context(), tx)
			if err == nil {
				err = b.mergeClass("junk", "ham")
			}
			if err != nil {
				return nil, err
			}
			return b.finish() // and nothing more
		})
	})
	must(t, err)
	db.forgetMemory()
	var d Delta
	d.Forget(attributed(1, "").ID)
	_, err = db.Apply(&d)
	must(t, err)
	mustCheck(t, db)
}
