package store

import (
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/stored"
)

// The bucket of a sum of the log, which earlier programs kept, is ignored.
func TestFold(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	db := open(t, path, Options{})
	for i := range 40 {
		add(t, db, sample(i, "ham"))
	}
	must(t, db.Close())
	b, err := bolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, b.Update(func(tx *bolt.Tx) error {
		fold, err := tx.CreateBucket(stored.BucketFold)
		must(t, err)
		return fold.Put([]byte("tail"), []byte("a sum of other records"))
	}))
	must(t, b.Close())
	db = open(t, path, Options{})
	mustCheck(t, db)
	add(t, db, sample(40, "spam"))
	must(t, db.Close())
	db = open(t, path, Options{})
	mustCheck(t, db)
}

// Processes that train once write the totals now and then, so that the next has few records to sum.
func TestTotalsWritten(t *testing.T) {
	t.Parallel()
	fast(t)
	path := tempDB(t)
	for i := range 50 {
		db := open(t, path, Options{})
		add(t, db, sample(i, "ham"))
		must(t, db.View(func(s *Snapshot) error {
			base, err := s.tx.Corpus()
			if left := s.seq - base.Seq; left >= 16 {
				t.Errorf("%d records above the totals", left)
			}
			return err
		}))
		must(t, db.Close())
	}
	mustCheck(t, open(t, path, Options{}))
}
