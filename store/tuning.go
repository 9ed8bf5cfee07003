package store

import (
	"math"
	"runtime"
	"time"

	"github.com/polya-classifier/polya/store/internal/file"
)

// tuning holds the parameters of a database's time and space. Users have the standard
// values; tests set their own: small tables, short tails, short waits.
//
// A training bounds the tail of the log, the records that are not in every table yet, by
// bringing a few tables up to date: a round begins when the tail has half its full
// length, and ends before the tail is full. A table costs its size, a record costs memory
// in the overlay and time to scan the tail, so that larger tables call for a longer tail.
type tuning struct {
	// minTail is the least length of a full tail in documents.
	minTail int

	// stays is how many times as long the tail of a long-lived process may be: it has the
	// tail's sum in memory, where its length costs a reader nothing, and merges that many
	// more documents at once. It leaves no longer tail than others do.
	stays int

	// minMerge is the least number of bytes that a merging training rewrites: a commit costs
	// as much anyway.
	minMerge int

	// minTable is the least target size of a table in bytes.
	minTable int

	// A process that trains once sums the tail only in order to merge. It does so at every
	// mergeEvery-th record, and then merges as much as is due for all of them.
	mergeEvery int

	// manySteps is how many documents in one Delta are better summed in memory
	// and brought into all tables at once than logged one by one.
	manySteps int

	// ledgerPart is how many documents of the ledger one transaction may have in memory at once.
	// A bulk training enters its documents, whose ids come in any order, in nearly all pages.
	ledgerPart int

	// spare is the number of free bytes that any file may have in addition to a share of its
	// size: the next trainings use them, and a file grows by 64 KB at a time.
	spare int

	file.Tuning
}

const (
	// A full tail is the bytes of all tables / tailShare documents, but at most maxTail, and
	// at most maxTailBytes of terms.
	tailShare, maxTail, maxTailBytes = 64 << 10, 4000, 4 << 20

	// The target is idealTables tables of at most maxTable bytes. Each costs a reader 35 ns;
	// replacing one costs a trainer its size.
	idealTables, maxTable = 64, 4 << 20
)

var standard = tuning{
	minTail:    64,
	stays:      32,
	minMerge:   128 << 10,
	minTable:   64 << 10,
	mergeEvery: 16,
	manySteps:  256,
	ledgerPart: 128 << 10,
	spare:      160 << 10,
	Tuning: file.Tuning{
		MapSpace:       standardMapSpace(),
		ReaderPatience: 100 * time.Millisecond,
		ClosePatience:  10 * time.Second,
	},
}

func standardMapSpace() int64 {
	switch {
	case runtime.GOOS == "windows":
		return 0 // there the file is made as large as what is mapped
	case math.MaxInt == math.MaxInt32:
		return 16 << 20
	}
	return 256 << 20
}

func (o *Options) tuned() *tuning {
	if o.tuning == nil {
		return &standard
	}
	return o.tuning
}

func (db *DB) tuning() *tuning { return db.options.tuned() }

// tailLimit returns the full length of the tail, in documents and in bytes of their
// terms, for so many bytes of tables.
func (t *tuning) tailLimit(tables int, stays bool) (documents, bytes int) {
	documents, bytes = max(tables/tailShare, t.minTail), maxTailBytes
	if stays {
		// Otherwise merging one table would multiply its size.
		documents, bytes = documents*t.stays, min(bytes*t.stays, max(tables, 4*t.minMerge))
	}
	return min(documents, maxTail), bytes
}

// tableTarget returns the target size of a table, if all tables have so many bytes.
func (t *tuning) tableTarget(bytes int) int {
	return min(max(bytes/idealTables, t.minTable), maxTable)
}
