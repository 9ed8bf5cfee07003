package totals

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// A file can give each document a class of its own. Inserting them copies no index for each.
func TestInsert(t *testing.T) {
	const classes = 10_000
	first := &Totals{Classes: []*count.Class{{ID: 1, Name: "m"}}}
	first.Order()
	all := first.Clone()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range classes {
		all.Insert(&count.Class{ID: count.ClassID(i + 2), Name: fmt.Sprintf("%05d", i*7919%classes)})
	}
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 20 {
		t.Errorf("%d classes took %d MiB", classes, took)
	}
}
