package store

import (
	"context"
	"runtime"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/file"
	"github.com/polya-classifier/polya/store/internal/layout"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/totals"
)

// This file keeps a database from growing without bound beside what it holds,
// although nobody calls Compact. Pages that are free are used again, the lowest
// first, but bbolt never gives any back, and pages of the log and of the ledger
// stay half empty when documents are forgotten. So a file with much to spare is
// copied without it, and the copy takes its place as that of Compact does.
//
// A copy is not bounded work: it takes as long as the file is large. But the room
// that it gives back has to be freed first by as many bytes written, so that it
// adds to the cost of a training a constant factor. While the file is open only
// what is small is copied, in a training that ends a round of merging; Close
// copies files of any size.

// Shares are of the bytes that a copy would have.
const (
	// closingShare is what a file that is closed may have to spare. Close comes
	// after each message where every message has its own process.
	closingShare = 1. / 4

	// openShare is the same while it is open: the trainings to come are going to
	// use some of that.
	openShare = 1. / 3

	// openLimit bounds the pause that a copy makes in a training: 5 ms of CPU time
	// a MB and its way to the disk. Larger files have seldom anything to spare while
	// they are open: what a round of merging needs is a smaller part of them.
	openLimit = 64 << 20

	// packed is how full the pages of a copy are at least: those of the ledger,
	// whose keys come in any order, need room to grow, and those of the log have at
	// their end what the next record does not fit into.
	packed = 0.8

	// A look at all pages of log and ledger takes a microsecond for each. It is
	// due once as many records have been written as a lookShare of the documents,
	// and no less than minLook.
	lookShare = 1. / 8
	minLook   = 256
)

// growthState is what a process remembers for that.
type growthState struct {
	ended bool // a round of merging has ended since the last look
	look  bool // so much has changed that pages may have become half empty
}

// wrote notes that the records after position before, up to that of t, have been written.
func (g *growthState) wrote(before uint64, t *totals.Totals) {
	documents := uint64(0)
	for _, c := range t.Classes {
		documents += c.Docs
	}
	step := max(uint64(float64(documents)*lookShare), minLook)
	// The distance between looks must be the same in the next process, which knows
	// nothing of this one: a power of 2 seldom changes.
	for step&(step-1) != 0 {
		step &= step - 1
	}
	g.look = g.look || before/step != t.Seq/step
}

// shrinkOpen copies the file if a round of merging has ended and there is more
// to spare than a file that is open may have. The caller holds db.commit. Errors
// are ignored: the training has ended, and the old file is as good.
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

// shrinkClosing is shrinkOpen for a file that is about to be closed.
func (db *DB) shrinkClosing() {
	if db.closed || db.making || db.file == nil || !db.file.Changed() {
		return
	}
	_ = db.shrink(closingShare, 1<<62)
}

// shrink copies the file if a copy would have no more than limit bytes, and the
// file has more than share of that to spare.
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

// renew writes the file anew without free space.
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
	if err := c.Fill(context.Background(), func(w *file.Filling) error { return w.All(f) }); err != nil {
		return err
	}
	return db.replace(c)
}

// replace puts a copy in the place of the file. Readers that have begun keep the old one.
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

// worth returns whether a file of size bytes, of which some are free, has more than
// share of the rest to spare. It looks for half empty pages where that is due.
func (db *DB) worth(size, free int64, share float64) bool {
	if db.growth.look {
		db.growth.look = false
		if db.file.Check() != nil {
			return false // in what is no tree bbolt's statistics have no end
		}
		_ = db.file.View(func(tx *bolt.Tx) error {
			for _, name := range [][]byte{stored.BucketLog, stored.BucketLedger, stored.BucketValue} {
				if b := tx.Bucket(name); b != nil {
					s := b.Stats()
					free += max(int64(s.LeafAlloc)-int64(float64(s.LeafInuse)/packed), 0)
				}
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
