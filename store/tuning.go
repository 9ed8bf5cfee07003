package store

import (
	"math"
	"runtime"
	"time"

	"github.com/polya-classifier/polya/store/internal/file"
)

// tuning is how a database spends its time and space. Users have the standard one;
// tests have small tables, short tails and little patience, each its own.
//
// A training bounds the tail of the log, the records that are not in every table
// yet, by bringing a few tables up to date: a round begins when the tail has half
// its full length, and is done before it has all of it. A table's cost is its size,
// a record's that of the overlay and of looking through the tail, so that the longer
// tail suits the larger tables.
type tuning struct {
	// minTail is the least that a full tail has in documents.
	minTail int

	// stays is how many times as long the tail of a process is that stays: it has the
	// tail's sum in memory, where its length costs a reader nothing, and merges for so
	// many more documents at once. It leaves no longer tail than others do.
	stays int

	// minMerge is the least that a training which merges rewrites, in bytes: a
	// commit costs as much as this anyway.
	minMerge int

	// minTable is the least that a table is meant to have in bytes.
	minTable int

	// A process that trains but once sums the tail only in order to merge. It
	// does so at every mergeEvery-th record, and then as much as is due for all
	// of them.
	mergeEvery int

	// manySteps is how many documents in one Delta are better summed in memory
	// and brought into all tables at once than logged one by one.
	manySteps int

	// spare is what any file may have free beside a share of its size, in bytes: what
	// the next trainings take, and a file grows by 64 KB at a time.
	spare int

	file.Tuning
}

const (
	// A full tail is the number of bytes in all tables by tailShare, but at most
	// maxTail documents, and at most so many bytes of terms.
	tailShare, maxTail, maxTailBytes = 32 << 10, 4000, 4 << 20

	// A table is meant to be one of idealTables, and at most of maxTable bytes. Each
	// costs a reader 35 ns; replacing one costs a trainer its size.
	idealTables, maxTable = 64, 4 << 20
)

var standard = tuning{
	minTail:    128,
	stays:      16,
	minMerge:   128 << 10,
	minTable:   64 << 10,
	mergeEvery: 16,
	manySteps:  256,
	spare:      160 << 10,
	Tuning: file.Tuning{
		MapRoom:        standardRoom(),
		PinnedFloor:    64 << 20,
		ReaderPatience: 100 * time.Millisecond,
		ClosePatience:  10 * time.Second,
	},
}

func standardRoom() int64 {
	switch {
	case runtime.GOOS == "windows":
		return 0 // there the file is made as large as what is mapped
	case math.MaxInt == math.MaxInt32:
		return 16 << 20
	}
	return 256 << 20
}

// tuned returns the tuning of a database that is opened with o.
func (o *Options) tuned() *tuning {
	if o.tuning == nil {
		return &standard
	}
	return o.tuning
}

func (db *DB) tuning() *tuning { return db.options.tuned() }

// tailLimit is the full length of the tail, in documents and in bytes of their terms,
// beside so many bytes of tables.
func (t *tuning) tailLimit(tables int, stays bool) (documents, bytes int) {
	documents, bytes = max(tables/tailShare, t.minTail), maxTailBytes
	if stays {
		// Or a merge of one table would bring much more into it than it had.
		documents, bytes = documents*t.stays, min(bytes*t.stays, max(tables, 4*t.minMerge))
	}
	return min(documents, maxTail), bytes
}

// tableTarget is the size that a table is meant to have, one of so many bytes.
func (t *tuning) tableTarget(bytes int) int {
	return min(max(bytes/idealTables, t.minTable), maxTable)
}
