package store

import (
	"errors"
	"math"
	"os"
	"runtime"

	bolt "go.etcd.io/bbolt"
)

// This file keeps readers that stay from stopping trainers. bbolt maps more of a
// file only when nobody reads it, and uses no page again that the oldest reader may
// see: one that stays would stop the writer, or have the file grow with every
// training. In both cases the file is written anew, without what only that reader
// sees: it keeps the old file, which goes when it ends.

// errNoRoom ends a transaction that needs more of the file mapped than there is,
// when somebody reads.
var errNoRoom = errors.New("nothing was changed: a reader that began earlier keeps the file from growing; end it, or try again")

const pageSize = 4096 // of the files that are made here

// initialMmapSize is address space, not memory: with room to grow, a training does
// not have to wait for readers to end before it can map more.
func initialMmapSize(path string, o *Options) int {
	if o.ReadOnly || runtime.GOOS == "windows" {
		return 0
	}
	size := o.tuned().mapRoom
	if size == 0 {
		return 0 // what the file has
	}
	if info, err := os.Stat(path); err == nil {
		size = max(size, 2*info.Size())
	}
	if math.MaxInt == math.MaxInt32 {
		size = min(size, 512<<20) // of the 2 to 4 GB of a process
	}
	return int(size)
}

// mappedSize is for b.MaxSize what lets the commit of tx fail if it would have to
// map more than is mapped, and no other: bbolt maps powers of two up to a gigabyte,
// and then gigabytes, and adds b.AllocSize before it compares.
func (db *DB) mappedSize(b *bolt.DB, tx *bolt.Tx) int {
	const gigabyte = 1 << 30
	used, mapped := max(db.tuning().mapRoom, tx.Size()+pageSize), int64(32<<10)
	for mapped < used && mapped < gigabyte {
		mapped *= 2
	}
	if used > gigabyte {
		mapped = (used + gigabyte - 1) / gigabyte * gigabyte
	}
	if runtime.GOOS != "windows" {
		mapped += int64(b.AllocSize) - pageSize
	}
	return int(min(mapped, math.MaxInt))
}

// pinnedOften is after how many transactions in a row with too much kept for
// readers the file is written anew: one that rewrites everything leaves as much
// behind until the next begins.
const pinnedOften = 4

// unpin writes the file anew if readers keep too much of it. If that cannot be done
// the file is left as it is, until as much again has come.
func (db *DB) unpin() error {
	db.mu.RLock()
	b, closed := db.bolt, db.closed
	db.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	pinned := b.Stats().PendingPageN * pageSize
	if pinned <= db.tuning().pinnedFloor {
		db.pinned, db.unpinAt = 0, 0
		return nil
	}
	size, err := db.Size()
	if err != nil || int64(pinned) <= size/2 || pinned < db.unpinAt {
		db.pinned = 0
		return nil
	}
	if db.pinned++; db.pinned < pinnedOften {
		return nil
	}
	overlay := db.memory != nil && db.memory.overlay != nil
	if db.renew() != nil {
		db.pinned, db.unpinAt = 0, 2*pinned
	}
	return db.rememberLocked(overlay) // a new file has none, though its name may not be on the disk
}
