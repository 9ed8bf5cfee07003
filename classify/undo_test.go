package classify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// lessonOf returns document n as a source teaches it at a moment.
func lessonOf(c *Classifier, n int, source string, at time.Time) Document {
	doc := c.Document([]byte(fmt.Sprintf("document %d of %d and some words w%d w%d w%d", n, n%7, n%11, n%13, n%17)))
	doc.Source, doc.Time = source, at
	return doc
}

func dumped(t *testing.T, c *Classifier) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Store().Dump(t.Context(), &b, true); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What a Query selects is what a plain look at what was taught selects, of all filters that
// there are, and what is left after it is the database that never learned that.
func TestUndo(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	type lesson struct {
		n             int
		class, source string
		at            time.Time
	}
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(5, 8))
	var lessons []lesson
	for n := range 200 {
		lessons = append(lessons, lesson{
			n, []string{"ham", "spam", "work"}[random.IntN(3)], []string{"", "auto", "list"}[random.IntN(3)],
			start.Add(time.Duration(random.IntN(10)) * time.Second),
		})
	}
	open := func(lessons []lesson) *Classifier {
		c, err := Open(filepath.Join(t.TempDir(), "undo.polya"), Options{Fitting: FitByHand, Store: store.Options{}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		var b Batch
		for _, l := range lessons {
			if err := b.Train(l.class, lessonOf(c, l.n, l.source, l.at)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, source := range []*string{nil, new(""), new("auto"), new("nobody")} {
		for _, class := range []string{"", "ham"} {
			for _, since := range []time.Time{{}, start.Add(4*time.Second + time.Second/2)} {
				for _, before := range []time.Time{{}, start.Add(7*time.Second + time.Second/3)} {
					f := Query{Source: source, Class: class, Since: since, Before: before}
					if f.isZero() {
						continue
					}
					want := Undone{Classes: map[string]int{}}
					var stay []lesson
					for _, l := range lessons {
						if (source == nil || l.source == *source) && (class == "" || l.class == class) &&
							(since.IsZero() || l.at.Unix() >= since.Unix()) && (before.IsZero() || l.at.Unix() < before.Unix()) {
							want.Documents++
							want.Classes[l.class]++
						} else {
							stay = append(stay, l)
						}
					}
					c := open(lessons)
					all := dumped(t, c)
					got, err := c.Undo(t.Context(), f, true)
					if err != nil || !reflect.DeepEqual(got, want) || dumped(t, c) != all {
						t.Errorf("%+v, dry: %+v, %v, want %+v", f, got, err, want)
					}
					got, err = c.Undo(t.Context(), f, false)
					if err != nil || !reflect.DeepEqual(got, want) || dumped(t, c) != dumped(t, open(stay)) {
						t.Errorf("%+v: %+v, %v, want %+v", f, got, err, want)
					}
				}
			}
		}
	}
	if _, err := open(nil).Undo(t.Context(), Query{}, true); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("a filter that selects all: %v", err)
	}
}

// What cannot be taken back is counted and stays: digests, what no ledger knows, and by
// bounds what was learned at an unknown time.
func TestUndoLeaves(t *testing.T) {
	t.Parallel()
	c, err := Open(filepath.Join(t.TempDir(), "undo.polya"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	now := time.Now()
	for i, keep := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		for n := range i + 1 {
			var b Batch
			b.delta.Keep = keep
			if err := b.Train([]string{"ham", "spam"}[n%2], lessonOf(c, 10*i+n, "list", now)); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Apply(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := c.Train(t.Context(), "ham", lessonOf(c, 99, "list", time.Unix(0, 0))); err != nil {
		t.Fatal(err)
	}
	for _, c2 := range []struct {
		f    Query
		want Undone
	}{
		{Query{Class: "ham", Since: now.Add(-time.Hour)}, Undone{1, 0, map[string]int{"ham": 1}, 1, 2}},
		{Query{Class: "spam"}, Undone{0, 0, map[string]int{}, 1, 1}},
		{Query{Source: new("list"), Before: now.Add(time.Hour)}, Undone{1, 0, map[string]int{"ham": 1}, 2, 3}},
		{Query{Source: new("list")}, Undone{2, 0, map[string]int{"ham": 2}, 2, 3}},
	} {
		if got, err := c.Undo(t.Context(), c2.f, true); err != nil || !reflect.DeepEqual(got, c2.want) {
			t.Errorf("%+v: %+v, %v, want %+v", c2.f, got, err, c2.want)
		}
	}
}

// endsAfter is a context that ends when it has been looked at so many times.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// An Undo that was interrupted between two transactions says what has gone, and another goes on.
func TestUndoInterrupted(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	c, err := Open(filepath.Join(t.TempDir(), "undo.polya"), Options{Fitting: FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	train := func(source string, first, n int) {
		t.Helper()
		var b Batch
		for i := first; i < first+n; i++ {
			doc := c.Document([]byte(fmt.Sprint(i))) // of one word, since many are needed
			doc.Source = source
			if err := b.Train([]string{"ham", "spam"}[i%2], doc); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	train("hand", 0, 100)
	before := dumped(t, c)
	const more = 50
	train("list", 1000, undoBatch+more)
	f := Query{Source: new("list")}
	got, err := c.Undo(&endsAfter{t.Context(), 100 + undoBatch + more + 1}, f, false)
	if !errors.Is(err, context.Canceled) || got.Documents != undoBatch || got.Classes["ham"]+got.Classes["spam"] != undoBatch {
		t.Errorf("the first: %+v, %v", got, err)
	}
	if got, err = c.Undo(t.Context(), f, false); err != nil || got.Documents != more {
		t.Errorf("the second: %+v, %v", got, err)
	}
	if dumped(t, c) != before {
		t.Error("the dump is not that of before")
	}
}

// calls is a context that calls f when it is looked at for the n-th time.
type calls struct {
	context.Context
	n int
	f func()
}

func (c *calls) Err() error {
	if c.n--; c.n == 0 {
		c.f()
	}
	return nil
}

// A document that somebody corrects while an Undo is in progress is theirs, and stays.
func TestUndoLeavesCorrected(t *testing.T) {
	t.Parallel()
	c, err := Open(filepath.Join(t.TempDir(), "undo.polya"), Options{Fitting: FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var docs []Document
	for n := range 3 {
		docs = append(docs, lessonOf(c, n, "auto", time.Time{}))
		if _, err := c.Train(t.Context(), "spam", docs[n]); err != nil {
			t.Fatal(err)
		}
	}
	f := Query{Source: new("auto")}
	search := &calls{Context: t.Context()}
	if found, err := c.Undo(search, f, true); err != nil || found.Documents != 3 {
		t.Fatalf("dry: %+v, %v", found, err)
	}
	correct := func() {
		var b Batch
		doc := docs[1]
		doc.Source = "ann"
		if err := errors.Join(b.Forget(doc), b.Train("ham", doc)); err != nil {
			t.Error(err)
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Error(err)
		}
	}
	got, err := c.Undo(&calls{t.Context(), 1 - search.n, correct}, f, false)
	if want := (Undone{Documents: 2, Classes: map[string]int{"spam": 2}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	err = c.Store().View(func(s *store.Snapshot) error {
		e, err := s.Entry(docs[1].ID)
		if err == nil && (e == nil || e.Class != "ham" || e.Source != "ann") {
			t.Errorf("the corrected document is %+v", e)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// After an undo the calibration equals that of a database that never learned the documents.
func TestUndoCalibration(t *testing.T) {
	t.Parallel()
	c, err := Open(filepath.Join(t.TempDir(), "undo.polya"), Options{Fitting: FitInCall})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	train := func(class, source, text string, n int) {
		var b Batch
		for i := range n {
			doc := c.Document([]byte(fmt.Sprintf("%s w%d w%d number %d", text, i%5, i%7, i)))
			doc.Source = source
			if err := b.Train(class, doc); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	train("ham", "hand", "minutes of the meeting", 60)
	train("spam", "hand", "money for a prize", 60)
	want, err := c.Calibrate(t.Context(), 0)
	if err != nil || want == nil {
		t.Fatal(want, err)
	}
	train("spam", "list", "the meeting and its agenda", 5) // too few to calibrate again without them
	if _, err := c.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Undo(t.Context(), Query{Source: new("list")}, false); err != nil {
		t.Fatal(err)
	}
	got, err := c.Calibration()
	if err != nil || got == nil {
		t.Fatal(got, err)
	}
	a, _ := want.Marshal()
	b, _ := got.Marshal()
	if !bytes.Equal(a, b) {
		t.Errorf("%.300q, not %.300q", b, a)
	}
}

// A document that was moved goes back to the class that it had before, with its source and time;
// one that was learned within the bounds is gone, whatever moves it made; and what is undone
// twice is as undone once.
func TestUndoMoves(t *testing.T) {
	t.Parallel()
	c, err := Open(filepath.Join(t.TempDir(), "moves.polya"), Options{Fitting: FitByHand})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	old := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	train := func(n int, class, source string, at time.Time) {
		t.Helper()
		if _, err := c.Train(t.Context(), class, lessonOf(c, n, source, at)); err != nil {
			t.Fatal(err)
		}
	}
	train(1, "ham", "list", old)
	train(2, "spam", "", old)
	train(3, "ham", "", old)
	want := dumped(t, c)
	train(1, "spam", "auto", old.Add(24*time.Hour))
	train(1, "work", "auto", old.Add(30*time.Hour))
	var b Batch
	doc := lessonOf(c, 2, "", old)
	b.Delta().Relabel(doc.ID, "ham") // now
	if _, err := c.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	train(4, "ham", "auto", old.Add(24*time.Hour))
	train(4, "spam", "auto", old.Add(25*time.Hour))
	auto, all := Query{Source: new("auto")}, Query{Since: old.Add(time.Hour)}
	for _, q := range []struct {
		Query
		dry  bool
		want Undone
	}{
		{auto, true, Undone{2, 1, map[string]int{"work": 1, "spam": 1}, 0, 0}},
		{all, true, Undone{3, 2, map[string]int{"work": 1, "spam": 1, "ham": 1}, 0, 0}},
		{all, false, Undone{3, 2, map[string]int{"work": 1, "spam": 1, "ham": 1}, 0, 0}},
		{all, false, Undone{0, 0, map[string]int{}, 0, 0}},
	} {
		u, err := c.Undo(t.Context(), q.Query, q.dry)
		if err != nil || !reflect.DeepEqual(u, q.want) {
			t.Errorf("%+v: %+v, %v, want %+v", q.Query, u, err, q.want)
		}
	}
	if got := dumped(t, c); got != want {
		t.Errorf("left is\n%s\nwant\n%s", got, want)
	}
}

// Documents that others forget while an Undo is in progress are gone as well: it tries again.
func TestUndoWhileOthersForget(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "undo.polya"), Options{Fitting: FitByHand})
	var b Batch
	var docs []Document
	const n = 4000
	for i := range n {
		docs = append(docs, lessonOf(c, i, "list", time.Time{}))
		if err := b.Train([]string{"ham", "spam"}[i%2], docs[i]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	// The context is looked at before each try, and then the documents are looked up one by one.
	forgotten := make(chan error)
	ctx := &calls{t.Context(), n + 1, func() {
		begun := make(chan struct{})
		go func() {
			close(begun)
			_, err := c.Forget(t.Context(), docs[n-1])
			forgotten <- err
		}()
		<-begun
	}}
	gone, err := c.Undo(ctx, Query{Source: new("list")}, false)
	other := <-forgotten
	if errors.Is(other, count.ErrNotLearned) {
		other = nil // the Undo was first
	}
	if err != nil || other != nil || gone.Documents < n-1 {
		t.Errorf("%d taken back, %v; the other: %v", gone.Documents, err, other)
	}
	if got, err := c.Undo(t.Context(), Query{Source: new("list")}, true); err != nil || got.Documents != 0 {
		t.Errorf("left: %+v, %v", got, err)
	}
}
