package classify

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Trainings do not wait for the fits that they make due, and Close does.
func TestFitBehind(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	c, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const few, all = smallFit / 2, 2 * smallFit
	c.refit.Lock() // whoever fits in his training does not get it, and whoever fits behind waits
	for i := range all {
		class := []string{"a", "b"}[i%2]
		train(t, c, class, fmt.Sprintf("word%d %s%d common%d", i, class, i%7, i%5))
	}
	if k, err := c.Calibration(); k != nil || err != nil {
		t.Errorf("calibrated while nobody could: %v, %v", k, err)
	}
	c.refit.Unlock()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil { // does nothing
		t.Error(err)
	}
	again := openTest(t, path, Options{Store: store.Options{ReadOnly: true}})
	k, err := again.Calibration()
	if err != nil || k == nil || k.Documents < few {
		t.Fatalf("after Close the calibration is %+v, %v", k, err)
	}
}

// By hand, and in the call, nothing is left to be done behind.
func TestFitting(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Fitting: FitInCall}, {Fitting: FitByHand}} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), o)
		for i := range 300 {
			class := []string{"a", "b"}[i%2]
			train(t, c, class, fmt.Sprintf("word%d %s%d common%d", i, class, i%7, i%5))
		}
		k, err := c.Calibration()
		if err != nil || (k == nil) != (o.Fitting == FitByHand) || k != nil && k.Documents < 200 {
			t.Errorf("%+v: %v, %v", o.Fitting, k, err)
		}
	}
	if _, err := OpenMemory(nil, Options{Fitting: FitByHand + 1}); err == nil {
		t.Error("an unknown Fitting is accepted")
	}
}

// A large training fits its own documents at once.
func TestFitLarge(t *testing.T) {
	t.Parallel()
	c, err := OpenMemory(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var b Batch
	for i := range 300 {
		class := []string{"a", "b"}[i%2]
		if err := b.Train(class, c.Document(fmt.Appendf(nil, "word%d %s%d common%d", i, class, i%7, i%5))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if k, err := c.Calibration(); err != nil || k == nil || k.Documents != 300 {
		t.Errorf("%+v, %v", k, err)
	}
}

// Who has taught a few documents does not wait for a slow fit, but has one to a part of the documents:
// that of all stays due, and whoever teaches more, or calls Refit, makes it.
func TestFitAfterFew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	next := 0
	teach := func(o Options, n int) {
		t.Helper()
		c, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		var b Batch
		for range n {
			class := []string{"a", "b"}[next%2]
			if err := b.Train(class, c.Document(fmt.Appendf(nil, "word%d %s%d common%d", next, class, next%7, next%5))); err != nil {
				t.Fatal(err)
			}
			next++
		}
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
		if o.Fitting == FitBehind {
			if err := c.RefitAfter(ctx, n); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	calibrated := func() (k *calibration.Calibration, due bool) {
		t.Helper()
		c, err := Open(path, Options{Store: store.Options{ReadOnly: true}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if k, err = c.Calibration(); err != nil || k == nil {
			t.Fatalf("%v, %v", k, err)
		}
		fits, err := c.due(calibration.TrainGrowth)
		if err != nil {
			t.Fatal(err)
		}
		return k, fits.calibrate
	}
	const first, most = smallFit/2 - 100, smallFit/2 + 100
	teach(Options{}, first)
	teach(Options{Fitting: FitByHand}, first)
	for range 3 {
		teach(Options{}, 1)
	}
	k, due := calibrated()
	if k.Documents != 2*first+1 || k.Sample > most || !due {
		t.Errorf("after single trainings calibrated at %d documents with %d, due %v; want %d with at most %d, true", k.Documents, k.Sample, due, 2*first+1, most)
	}
	teach(Options{}, calibration.FewTaught)
	if k, due = calibrated(); k.Documents != uint64(next) || k.Sample != next || due {
		t.Errorf("after a training of %d calibrated at %d documents with %d, due %v; want %d, false", calibration.FewTaught, k.Documents, k.Sample, due, next)
	}
	teach(Options{Fitting: FitByHand}, next)
	teach(Options{}, 1)
	if k, _ := calibrated(); k.Sample < most {
		t.Errorf("a calibration with all of %d documents is replaced by one with %d", k.Documents, k.Sample)
	}
}

// A calibration of which too little is left does not stay where a part of the documents does not do.
func TestFitAfterFewLost(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Fitting: FitByHand})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	teach := func(keep count.Ledger, classes ...string) {
		t.Helper()
		b := Batch{delta: store.Delta{Keep: keep}}
		for i := range smallFit {
			class := classes[i%len(classes)]
			must(b.Train(class, c.Document(fmt.Appendf(nil, "word%d%s %s%d common%d", i, class, class, i%7, i%5))))
		}
		_, err := c.Apply(ctx, &b)
		must(err)
	}
	there := func() (there bool) {
		must(c.Store().View(func(s *store.Snapshot) error { there = s.State(keyCalibration) != nil; return nil }))
		return there
	}
	teach(0, "a", "b")
	must(c.Refit(ctx))
	before := there()
	must(c.Store().DeleteClass(ctx, "b"))
	teach(count.LedgerNone, "c")
	must(c.RefitAfter(ctx, 1))
	if after := there(); !before || after {
		t.Errorf("a calibration is there: %v, once it is lost: %v", before, after)
	}
	if due, err := c.due(calibration.TrainGrowth); err != nil || due.part != 0 || !due.grown {
		t.Errorf("after it has come to nothing: %+v, %v; it is due, but not to a part again", due, err)
	}
}
