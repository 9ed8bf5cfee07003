package classify

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// A calibration is dropped when most of the documents behind it are forgotten: answers
// are those of a database that never had one, whatever its ledger keeps, and what is
// learned afterwards does not bring it back.
func TestCalibrationLosesItsDocuments(t *testing.T) {
	t.Parallel()
	classes, texts := lessons(100)
	for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest} {
		o := Options{Store: store.Options{Ledger: ledger}}
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
		learn(t, c, numbers(100), 100, classes, texts)
		calibrated(t, c)
		var b Batch
		for i := 10; i < 100; i++ {
			if err := b.Forget(c.Document([]byte(texts[i]))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
		if k, err := c.Calibration(); k != nil || err != nil || keptBytes(t, c) != nil {
			t.Errorf("%v: %+v is left, %v", ledger, k, err)
		}
		never := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
		learn(t, never, numbers(10), 1, classes, texts)
		for i := 40; i < 45; i++ {
			if got, want := ask(t, c, texts[i]), ask(t, never, texts[i]); !reflect.DeepEqual(got, want) {
				t.Errorf("%v: %+v, want %+v", ledger, got, want)
			}
		}
	}
}

// Documents that are left of one class only are no support, nor are fewer than half of
// those that were scored.
func TestSupported(t *testing.T) {
	t.Parallel()
	k := &calibration.Calibration{Sample: 100, Sampled: map[count.ClassID]int{1: 60, 2: 40}}
	for _, c := range []struct {
		docs [3]uint64
		want bool
	}{
		{[3]uint64{30, 20, 0}, true}, {[3]uint64{47, 3, 0}, true}, {[3]uint64{30, 19, 0}, false},
		{[3]uint64{100, 2, 0}, false}, {[3]uint64{100, 0, 100}, false}, {[3]uint64{0, 0, 0}, false},
	} {
		var classes []*count.Class
		for i, docs := range c.docs {
			classes = append(classes, &count.Class{ID: count.ClassID(i + 1), Docs: docs})
		}
		if got := supported(k, classes); got != c.want {
			t.Errorf("%v documents left: %t", c.docs, got)
		}
	}
}
