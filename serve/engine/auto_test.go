package engine

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// automatic returns an Engine that learns its sure answers, and that people have taught
// and which is calibrated.
func automatic(t *testing.T, a Auto) *Engine {
	t.Helper()
	e := newEngine(t, Options{Auto: &a})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() { learn(t, e, "ham", request("ham", i), backend.Learned) })
		all.Go(func() { learn(t, e, "spam", request("spam", i), backend.Learned) })
	}
	all.Wait()
	calibrated(t, e)
	return e
}

// calibrated waits until the models are fitted to about as many documents as there are.
func calibrated(t *testing.T, e *Engine) {
	t.Helper()
	eventually(t, "it is not calibrated", func() bool {
		k, err := e.shared.current().Calibration()
		return err == nil && k != nil && k.Documents > 180 && k.Documents < 220
	})
}

func dump(t *testing.T, e *Engine) string {
	t.Helper()
	var b bytes.Buffer
	err := e.Use(context.Background(), "", func(c *classify.Classifier) error {
		return c.Store().Dump(context.Background(), &b, true)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sources counts the documents by class and source.
func sources(t *testing.T, e *Engine) map[[2]string]int {
	t.Helper()
	n := make(map[[2]string]int)
	err := e.Use(context.Background(), "", func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			return s.Entries(func(e *store.Entry) error { n[[2]string{e.Class, e.Source}]++; return nil })
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// quiet waits until nothing is in the queues.
func quiet(t *testing.T, e *Engine) {
	t.Helper()
	eventually(t, "trainings do not end", func() bool { return e.waiting.Load() == 0 })
}

// TestAuto holds that sure answers are learned, and that taking them back gives the very
// database that was there before, but for what people have confirmed or corrected.
func TestAuto(t *testing.T) {
	t.Parallel()
	e := automatic(t, Auto{})
	ctx := context.Background()
	before := dump(t, e)
	for i := range 150 {
		ask(t, e, request("ham", 1000+i))
		ask(t, e, request("spam", 1000+i))
		ask(t, e, request("spam", i)) // people taught it
	}
	quiet(t, e)
	n := sources(t, e)
	if n[[2]string{"ham", AutoSource}] < 100 || n[[2]string{"spam", AutoSource}] < 100 || n[[2]string{"spam", "test"}] != 100 {
		t.Errorf("%v", n)
	}
	if s := e.AutoState(); !s.On || s.Stopped != "" || s.Learned != n[[2]string{"ham", AutoSource}]+n[[2]string{"spam", AutoSource}] {
		t.Errorf("%+v, ledger %v", s, n)
	}
	if got, err := e.TakeBack(ctx, "", time.Now().Add(time.Hour)); got != 0 || err != nil {
		t.Errorf("since the future: %d, %v", got, err)
	}
	all, err := e.TakeBack(ctx, "", time.Time{})
	if err != nil || all < 200 {
		t.Errorf("%d, %v", all, err)
	}
	if dump(t, e) != before {
		t.Error("the dump is not that of before")
	}
	// What somebody confirms or corrects is theirs.
	calibrated(t, e) // most of what it had been fitted to is gone
	for i := range 30 {
		ask(t, e, request("spam", 2000+i))
	}
	quiet(t, e)
	var learned []backend.Request
	err = e.Use(ctx, "", func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) error {
			for i := range 30 {
				r := request("spam", 2000+i)
				entry, err := s.Entry(mail.Document(c, r.Message).ID)
				if err != nil {
					return err
				}
				if entry != nil {
					learned = append(learned, r)
				}
			}
			return nil
		})
	})
	if err != nil || len(learned) < 3 {
		t.Fatalf("%d learned, %v", len(learned), err)
	}
	learn(t, e, "spam", learned[0], backend.Learned)
	learn(t, e, "spam", learned[0], backend.Unchanged)
	learn(t, e, "ham", learned[1], backend.Moved)
	if s := e.AutoState(); s.Wrong != 1 || s.Corrections != 1 {
		t.Errorf("%+v", s)
	}
	if got, err := e.TakeBack(ctx, "", time.Time{}); got != len(learned)-2 || err != nil {
		t.Errorf("%d of %d, %v", got, len(learned)-2, err)
	}
	n = sources(t, e)
	if n[[2]string{"spam", "test"}] != 101 || n[[2]string{"ham", "test"}] != 101 || len(n) != 2 {
		t.Errorf("%v", n)
	}
}

// TestAutoShare holds that a flood of one class is not learned beyond its share.
func TestAutoShare(t *testing.T) {
	t.Parallel()
	e := automatic(t, Auto{Slack: 10})
	for i := range 100 {
		ask(t, e, request("spam", 1000+i))
	}
	quiet(t, e)
	// a ≤ (a + 0)/2 + 10 has a at most 20.
	if n := sources(t, e)[[2]string{"spam", AutoSource}]; n < 10 || n > 20 {
		t.Errorf("%d", n)
	}
	for i := range 100 {
		ask(t, e, request("ham", 1000+i))
	}
	quiet(t, e)
	if n := sources(t, e)[[2]string{"ham", AutoSource}]; n < 30 || n > 40 {
		t.Errorf("%d", n)
	}
}

// TestAutoStops holds that corrections end automatic learning, in the next process too,
// until it is told to go on.
func TestAutoStops(t *testing.T) {
	t.Parallel()
	e := automatic(t, Auto{})
	ctx := context.Background()
	if s := e.AutoState(); s.Stopped != "" {
		t.Fatalf("%+v", s)
	}
	for i := range 40 {
		ask(t, e, request("spam", 1000+i))
	}
	quiet(t, e)
	for i := range 30 {
		if _, err := e.Learn(ctx, request("spam", 1000+i), "ham"); err != nil {
			t.Fatal(err)
		}
	}
	if s := e.AutoState(); s.Stopped == "" {
		t.Errorf("%+v", s)
	}
	o := e.options
	e.Close()
	e = newEngine(t, o)
	if err := e.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if s := e.AutoState(); s.Stopped == "" {
		t.Errorf("%+v", s)
	}
	before := sources(t, e)
	for i := range 40 {
		ask(t, e, request("ham", 3000+i))
	}
	quiet(t, e)
	if n := sources(t, e); n[[2]string{"ham", AutoSource}] != before[[2]string{"ham", AutoSource}] {
		t.Errorf("%v, before %v", n, before)
	}
	if err := e.ResumeAuto(ctx); err != nil {
		t.Fatal(err)
	}
	if s := e.AutoState(); s.Stopped != "" {
		t.Errorf("%+v", s)
	}
	e.Close()
	e = newEngine(t, o)
	if err := e.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if s := e.AutoState(); s.Stopped != "" {
		t.Errorf("%+v", s)
	}
}
