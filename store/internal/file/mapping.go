package file

import (
	"math"
	"os"
	"runtime"

	bolt "go.etcd.io/bbolt"
)

// This file keeps long-lived readers from blocking trainers. bbolt maps more of a file
// only when nobody reads it, and reuses no page that the oldest reader may see. So a file
// that has grown beyond what is mapped while somebody reads is rewritten, without the pages
// that only this reader sees: the reader keeps the old file, which is gone when it ends.

const pageSize = 4096 // of the files that are made here

// initialMmapSize returns the size of the mapping in address space, not memory: with room
// to grow, a training need not wait for readers to end before it can map more.
func (f *File) initialMmapSize() int {
	if f.options.ReadOnly || runtime.GOOS == "windows" {
		return 0
	}
	size := f.options.MapSpace
	if size == 0 {
		return 0 // what the file has
	}
	if info, err := os.Stat(f.path); err == nil {
		size = max(size, 2*info.Size())
	}
	if math.MaxInt == math.MaxInt32 {
		size = min(size, 512<<20) // a process has 2 to 4 GB
	}
	return int(size)
}

// mappedSize returns the value of bolt.MaxSize with which the commit of tx fails exactly
// if it needs a larger mapping: bbolt maps powers of two up to a gigabyte, and then whole
// gigabytes, and adds bolt.AllocSize before it compares.
func (f *File) mappedSize(tx *bolt.Tx) int {
	const gigabyte = 1 << 30
	used, mapped := max(f.options.MapSpace, tx.Size()+pageSize), int64(32<<10)
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
