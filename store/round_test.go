package store

import (
	"errors"
	"math"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// A round of merges that has no table left, as after one was lost, is damage.
func TestRoundWithoutTables(t *testing.T) {
	t.Parallel()
	shortTails(t)
	fast(t)
	path := tempDB(t)
	filled(t, path)
	edit(t, path, func(tx *bolt.Tx) error { return layout.Tx{Tx: tx}.PutRound(&stored.Round{Next: math.MaxUint64}) })
	db := open(t, path, Options{})
	for i := range 200 {
		var d Delta
		d.Add(sample(100+i, "ham"))
		if _, err := db.Apply(&d); err != nil {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) {
				t.Error(err)
			}
			return
		}
	}
	t.Error("nothing was noticed")
}
