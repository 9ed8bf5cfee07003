package file

import (
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

const pageSize = 4096 // of the files that are made here

// initialMmapSize is address space, not memory: with room to grow, a training does
// not have to wait for readers to end before it can map more.
func (f *File) initialMmapSize() int {
	if f.options.ReadOnly || runtime.GOOS == "windows" {
		return 0
	}
	size := f.options.MapRoom
	if size == 0 {
		return 0 // what the file has
	}
	if info, err := os.Stat(f.path); err == nil {
		size = max(size, 2*info.Size())
	}
	if math.MaxInt == math.MaxInt32 {
		size = min(size, 512<<20) // of the 2 to 4 GB of a process
	}
	return int(size)
}

// mappedSize is for bolt.MaxSize what lets the commit of tx fail if it would have to
// map more than is mapped, and no other: bbolt maps powers of two up to a gigabyte,
// and then gigabytes, and adds bolt.AllocSize before it compares.
func (f *File) mappedSize(tx *bolt.Tx) int {
	const gigabyte = 1 << 30
	used, mapped := max(f.options.MapRoom, tx.Size()+pageSize), int64(32<<10)
	for mapped < used && mapped < gigabyte {
		mapped *= 2
	}
	if used > gigabyte {
		mapped = (used + gigabyte - 1) / gigabyte * gigabyte
	}
	if runtime.GOOS != "windows" {
		mapped += int64(f.bolt.AllocSize) - pageSize
	}
	return int(min(mapped, math.MaxInt))
}

// pinnedOften is after how many transactions in a row with too much kept for
// readers the file is written anew: one that rewrites everything leaves as much
// behind until the next begins.
const pinnedOften = 4

// Pinned returns whether readers keep too much of the file, so that it should be written
// anew. It is asked before each transaction.
func (f *File) Pinned() bool {
	pinned := f.bolt.Stats().PendingPageN * pageSize
	if pinned <= f.options.PinnedFloor {
		f.pinned, f.unpinAt = 0, 0
		return false
	}
	size, err := f.Size()
	if err != nil || int64(pinned) <= size/2 || pinned < f.unpinAt {
		f.pinned = 0
		return false
	}
	f.pinned++
	return f.pinned >= pinnedOften
}

// Leave leaves a file that cannot be written anew until readers keep twice as much.
func (f *File) Leave() { f.pinned, f.unpinAt = 0, 2*f.bolt.Stats().PendingPageN*pageSize }
