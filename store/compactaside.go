package store

import (
	"context"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/damage"
)

// compactAttempts is how often a compaction begins anew, because another process has
// trained meanwhile, before it keeps the others waiting.
const compactAttempts = 2

// compactAside is Compact of a copy, while other processes may train. It says whether
// the compacted file has taken its place: it has not if somebody did, nor where no copy
// can be made.
func (db *DB) compactAside() (done bool, err error) {
	if !db.options.Share {
		return false, nil
	}
	var to *fileCopy
	err = db.admin(func() error {
		if err := db.rewrite(func(*bulk) error { return nil }, nil); err != nil {
			return err
		}
		to, err = db.newCopy()
		return err
	})
	if err != nil {
		return false, err
	}
	defer to.discard()
	from, err := db.aside()
	if from == nil || err != nil {
		return false, db.fail(err)
	}
	defer from.Close()
	if done, err := from.compactInto(to); err != nil || !done {
		return false, db.fail(err)
	}
	err = db.admin(func() error {
		if !db.isStill(from.left) {
			return nil
		}
		done = true
		return to.replace()
	})
	return done, err
}

// compactInto copies the database without free space, and says whether it could: not
// if somebody has trained since all tables held the whole log.
func (db *DB) compactInto(to *fileCopy) (done bool, err error) {
	defer damage.Guard(&err, "")()
	err = db.viewBolt(db.bolt, func(tx *bolt.Tx) error {
		t, base, err := loadTotals(tx)
		if err != nil {
			return err
		}
		if done = base.merged == t.seq; !done {
			return nil
		}
		p := pruning{ctx: context.Background(), db: db, from: tx, totals: t, to: to.bolt, keep: true, drop: keepAll}
		return p.run()
	})
	if err != nil {
		err = withAdvice(withoutPath(boltError(err), to.bolt.Path()))
	}
	return done, err
}

// keepAll drops no term.
func keepAll([]byte, []count.Cell) bool { return false }
