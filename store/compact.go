package store

import (
	"context"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/damage"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/rewrite"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// Compact brings all tables up to date, joins those that have become small and rewrites the
// file without free space. Trainers wait; with Options.Share those of other processes do so
// only if they have trained meanwhile more than once. Readers that have begun keep the old
// file; on Windows they are waited for. If it fails or ctx ends, and without Options.Share
// if the file would not be smaller, the database is as it was.
func (db *DB) Compact(ctx context.Context) error {
	for range compactAttempts {
		if done, err := db.compactAside(ctx); done || err != nil {
			return err
		}
	}
	_, err := db.copyOver(ctx, nil, true)
	return err
}

// compactAttempts is how often a compaction begins anew, because another process has
// trained meanwhile, before it keeps the others waiting.
const compactAttempts = 2

// compactAside compacts a copy, while other processes may train. It returns whether the
// compacted file has taken the file's place: it has not if one of them did train, nor if no
// copy can be made.
func (db *DB) compactAside(ctx context.Context) (done bool, err error) {
	if !db.options.Share {
		return false, nil
	}
	var to *file.Copy
	err = db.admin(func() error {
		if err := db.rewrite(ctx, func(*bulk) error { return nil }, nil); err != nil {
			return err
		}
		to, err = db.file.NewCopy()
		return err
	})
	if err != nil {
		return false, err
	}
	defer to.Discard()
	from, err := db.aside()
	if from == nil || err != nil {
		return false, db.fail(err)
	}
	defer from.Close()
	if done, err := from.compactInto(ctx, to); err != nil || !done {
		return false, db.fail(err)
	}
	err = db.admin(func() error {
		if !db.file.IsStill(from.left) {
			return nil
		}
		done = true
		return db.replace(to)
	})
	return done, err
}

// compactInto copies the database without free space, and returns whether it could: not
// if somebody has trained since all tables held the whole log.
func (db *DB) compactInto(ctx context.Context, to *file.Copy) (done bool, err error) {
	defer damage.Guard(&err, "")()
	err = db.file.View(func(tx *bolt.Tx) error {
		t, base, err := totals.Load(layout.Tx{Tx: tx})
		if err != nil {
			return err
		}
		if done = base.Merged == t.Seq; !done {
			return nil
		}
		p := rewrite.Rewriting{Key: &db.header.Key, Target: db.tuning().tableTarget, From: layout.Tx{Tx: tx}, Totals: t}
		return p.Fill(ctx, to)
	})
	return done, err
}
