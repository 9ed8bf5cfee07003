package store

import (
	"context"
	"runtime"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// This file bounds the free space of a database, although nobody calls Compact. Free
// pages are reused, the lowest first, but bbolt never shrinks a file, and pages of the
// log and of the ledger stay half empty when documents are forgotten. So a file with much
// free space is copied without it, and the copy replaces it as in Compact.
//
// The time of a copy is proportional to the file's size. But the space that it recovers
// must first be freed by writing as many bytes, so that copying multiplies the cost of
// training by a constant at most. While the file is open only a small file is copied, in
// a training that ends a round of merging; Close copies files of any size.

// Shares are of the bytes that a copy would have.
const (
	// closingShare is the free share that a file may have when it is closed. Where every
	// message has its own process, Close is called after each message.
	closingShare = 1. / 4

	// openShare is the same while it is open: later trainings will use some of the free
	// space.
	openShare = 1. / 3

	// openLimit bounds the pause that a copy makes in a training: one to eight milliseconds of
	// CPU time a MB and the write to disk. Larger files seldom have much free space while they are
	// open: a round of merging needs a smaller part of them, and the next trainings use what a
	// fit has kept from being used again. With 24 MB in place of 6, a file that learned 16,000
	// messages had the same size at the end.
	openLimit = 6 << 20

	// packed is the least fill of pages in a copy: ledger pages, whose keys come in any
	// order, need room to grow, and log pages end with space too small for the next record.
	packed = 0.8
)

// growthState is the state of a process for these decisions.
type growthState struct {
	ended bool // a round of merging has ended since the last look
	look  bool // or many documents were forgotten: pages may have become half empty
	bulk  bool // many documents were learned at once: the next will use the space that this freed
	freed bool // that space has not been looked at since
}

// shrinkOpen copies the file if a round of merging has ended and it has more free space
// than an open file may have. The caller holds db.commit. Errors are ignored: the
// training has ended, and the old file is as good.
func (db *DB) shrinkOpen() {
	if !db.growth.ended || db.making || runtime.GOOS == "windows" {
		return // Windows replaces no file that is open without waiting for readers
	}
	db.growth.ended = false
	_ = db.shrink(openShare, openLimit)
	if db.memory == nil {
		_ = db.rememberLocked(db.writes > 1) // a copy has readers and memory of its own
	}
}

// shrink copies the file if a copy would have no more than limit bytes, and the free
// space is more than share of the copy.
func (db *DB) shrink(share float64, limit int64) (err error) {
	defer fault.Guard(&err, "")()
	if !db.file.Sound() {
		return nil
	}
	size, free, err := db.file.Spare()
	if err != nil || size-free > limit || !db.worth(size, free, share) {
		return err
	}
	return db.renew()
}

// renew rewrites the file without free space.
func (db *DB) renew() error {
	f, err := db.opened()
	if err != nil {
		return err
	}
	c, err := f.NewCopy()
	if err != nil {
		return err
	}
	defer c.Discard()
	if err := c.Fill(context.Background(), func() error { return f.View(func(tx *bolt.Tx) error { return c.All(tx, nil) }) }); err != nil {
		return err
	}
	return db.replace(c)
}

// replace replaces the file by a copy. Readers that have begun keep the old one.
func (db *DB) replace(c *file.Copy) error {
	if err := c.Finish(); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	f, err := db.file.ReplaceBy(c)
	if f != nil {
		db.file, db.memory = f, nil
	}
	return err
}

// worth returns whether the free bytes of a file of size bytes are more than share of the
// rest. It looks for half empty pages when that is due: a microsecond for each.
func (db *DB) worth(size, free int64, share float64) bool {
	if db.growth.look {
		db.growth.look = false
		if db.file.Check() != nil {
			return false // on a damaged tree bbolt's statistics may not end
		}
		_ = db.file.View(func(tx *bolt.Tx) error {
			for _, name := range [][]byte{stored.BucketLog, stored.BucketLedger, stored.BucketValue} {
				if b := tx.Bucket(name); b != nil {
					s := b.Stats()
					free += max(int64(s.LeafAlloc)-int64(float64(s.LeafInuse)/packed), 0)
				}
				file.Forget(tx) // all their pages
			}
			return nil
		})
	}
	return float64(free) > float64(size-free)*share+float64(db.tuning().spare)
}

// copyFill is how full the pages of a bucket are made.
func copyFill(bucket []byte) float64 {
	if string(bucket) == string(stored.BucketLog) {
		return layout.LogFill
	}
	return packed
}
