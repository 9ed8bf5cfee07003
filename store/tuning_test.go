package store

import (
	"strings"
	"sync"
	"testing"
)

// tunings are those of the tests under way that have one of their own, by the name
// of the test, so that tests can run at the same time.
var tunings sync.Map

// named is a test, or one of rapid's.
type named interface{ Name() string }

// small is the standard tuning but for the tail, which is short in every process: tests have
// few documents.
var small = func() tuning {
	t := standard
	t.stays = 1
	t.ledgerPart = 20
	return t
}()

// tune returns the tuning of the test, which it may change before it opens a
// database. It begins as that of the test above, or as the small one.
func tune(t testing.TB) *tuning {
	if own, found := tunings.Load(t.Name()); found {
		return own.(*tuning)
	}
	own := *tuningOf(t)
	tunings.Store(t.Name(), &own)
	t.Cleanup(func() { tunings.Delete(t.Name()) })
	return &own
}

// tuningOf returns the tuning of the test or of the nearest one above it.
func tuningOf(t named) *tuning {
	for name := t.Name(); ; {
		if above, found := tunings.Load(name); found {
			return above.(*tuning)
		}
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			return &small
		}
		name = name[:slash]
	}
}

// tuned returns o with the tuning of the test.
func tuned(t named, o Options) Options {
	o.tuning = tuningOf(t)
	return o
}

// shortTails makes tables and tails so small that a test of a few hundred
// documents goes through rounds of merging and splits tables.
func shortTails(t testing.TB) {
	u := tune(t)
	u.minTail, u.minMerge = 8, 1
	u.minTable, u.manySteps = 1<<10, 20
	u.mergeEvery, u.spare = 3, 0
}

// fast makes a test of logic independent of the disk.
func fast(t testing.TB) { tune(t).NoSync = true }
