package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/answer"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// automatic returns an Engine that learns its sure answers, and that people have taught
// and which is calibrated.
func automatic(t *testing.T, a Auto) *Engine {
	t.Helper()
	e := newEngine(t, Options{Auto: &a})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() { teach(t, e, "ham", request("ham", i), backend.Learned) })
		all.Go(func() { teach(t, e, "spam", request("spam", i), backend.Learned) })
	}
	all.Wait()
	calibrated(t, e)
	return e
}

// calibrated waits until the models are fitted to about as many documents as there are.
func calibrated(t *testing.T, e *Engine) {
	t.Helper()
	eventually(t, "it is not calibrated", func() bool {
		k, err := e.shared.Current().Calibration()
		return err == nil && k != nil && k.Documents > 180 && k.Documents < 220
	})
}

func dump(t *testing.T, e *Engine) string { return dumpOf(t, e, "") }

func dumpOf(t *testing.T, e *Engine, user string) string {
	t.Helper()
	var b bytes.Buffer
	err := e.Use(context.Background(), user, func(c *classify.Classifier) error {
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

// byItself selects what was learned automatically since a moment.
func byItself(since time.Time) classify.Query {
	return classify.Query{Source: new(backend.AutoSource), Since: since}
}

// calibratedAt is the number of documents that the shared database was calibrated at, 0 if
// it is not.
func calibratedAt(t *testing.T, e *Engine) uint64 {
	t.Helper()
	k, err := e.shared.Current().Calibration()
	if err != nil {
		t.Fatal(err)
	}
	if k == nil {
		return 0
	}
	return k.Documents
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
	if n[[2]string{"ham", backend.AutoSource}] < 100 || n[[2]string{"spam", backend.AutoSource}] < 100 || n[[2]string{"spam", "test"}] != 100 {
		t.Errorf("%v", n)
	}
	if s := e.AutoState(); !s.On || s.Stopped != "" || s.Learned != n[[2]string{"ham", backend.AutoSource}]+n[[2]string{"spam", backend.AutoSource}] {
		t.Errorf("%+v, ledger %v", s, n)
	}
	if why := stored(t, e); why != nil {
		t.Errorf("the file says that it has stopped: %q", why)
	}
	after := dump(t, e)
	if u, err := e.Undo(ctx, "", byItself(time.Now().Add(time.Hour)), false); u.Documents != 0 || err != nil {
		t.Errorf("since the future: %+v, %v", u, err)
	}
	if _, err := e.Undo(ctx, "", classify.Query{}, false); !errors.Is(err, count.ErrInvalid) {
		t.Errorf("all there is: %v", err)
	}
	want, err := e.Undo(ctx, "", byItself(time.Time{}), true)
	if err != nil || want.Documents < 200 || want.Classes["ham"]+want.Classes["spam"] != want.Documents || dump(t, e) != after {
		t.Errorf("dry run: %+v, %v", want, err)
	}
	eventually(t, "it is not calibrated", func() bool { return calibratedAt(t, e) > 300 })
	all, err := e.Undo(ctx, "", byItself(time.Time{}), false)
	if err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, not %+v, %v", all, want, err)
	}
	if dump(t, e) != before {
		t.Error("the dump is not that of before")
	}
	eventually(t, "the calibration does not follow", func() bool { return calibratedAt(t, e) == 200 })
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
	teach(t, e, "spam", learned[0], backend.Learned)
	teach(t, e, "spam", learned[0], backend.Unchanged)
	teach(t, e, "ham", learned[1], backend.Moved)
	if s := e.AutoState(); s.Wrong != 1 || s.Corrections != 1 {
		t.Errorf("%+v", s)
	}
	if u, err := e.Undo(ctx, "", byItself(time.Time{}), false); u.Documents != len(learned)-2 || err != nil {
		t.Errorf("%+v of %d, %v", u, len(learned)-2, err)
	}
	n = sources(t, e)
	if n[[2]string{"spam", "test"}] != 101 || n[[2]string{"ham", "test"}] != 101 || len(n) != 2 {
		t.Errorf("%v", n)
	}
}

// stored returns what the shared database says of why automatic learning has stopped.
func stored(t *testing.T, e *Engine) (why []byte) {
	t.Helper()
	err := e.shared.Current().Store().View(func(s *store.Snapshot) error { why = s.State(keyStopped); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return why
}

// TestAnswersKept holds that the last answers are compared with what is taught, each once, and no others are kept.
func TestAnswersKept(t *testing.T) {
	t.Parallel()
	a := newAuto(Auto{}, slog.New(slog.DiscardHandler))
	if want := (Auto{Error: .01, People: 50, Slack: 50}); a.o != want { // as Auto says
		t.Errorf("%+v, want %+v", a.o, want)
	}
	id := func(i int) count.DocID { return classify.ContentID(fmt.Append(nil, i)) }
	for i := range 3 * answersKept {
		a.answers.put(id(i/2), "ham")
		a.answers.put(id(i/2), "spam")
	}
	if n, order := len(a.answers.of), len(a.answers.order); n != answersKept || order != n {
		t.Errorf("%d answers are kept, in an order of %d, want %d", n, order, answersKept)
	}
	first, last := answersKept/2, 3*answersKept/2-1
	for i, want := range map[int]bool{0: false, first - 1: false, first: true, last: true} {
		if class, found := a.answers.take(id(i)); found != want || found && class != "spam" {
			t.Errorf("answer %d: %q, %v", i, class, found)
		}
		if _, again := a.answers.take(id(i)); again {
			t.Errorf("answer %d is compared twice", i)
		}
	}
	a.shared = learn.New("not there", learn.Options{})
	for range 200 { // without a database in which to keep it
		a.watch.Learned()
		a.watch.Wrong()
		a.stopIfDrifted()
	}
	if a.state().Stopped == "" {
		t.Error("wrong lessons do not stop it")
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
	if n := sources(t, e)[[2]string{"spam", backend.AutoSource}]; n < 10 || n > 20 {
		t.Errorf("%d", n)
	}
	for i := range 100 {
		ask(t, e, request("ham", 1000+i))
	}
	quiet(t, e)
	if n := sources(t, e)[[2]string{"ham", backend.AutoSource}]; n < 30 || n > 40 {
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
	if n := sources(t, e); n[[2]string{"ham", backend.AutoSource}] != before[[2]string{"ham", backend.AutoSource}] {
		t.Errorf("%v, before %v", n, before)
	}
	if s := e.AutoState(); s.Answers != 40 {
		t.Errorf("%+v", s)
	}
	if err := e.ResumeAuto(ctx); err != nil {
		t.Fatal(err)
	}
	if s := e.AutoState(); s.Stopped != "" || s.Answers != 0 { // later answers are compared with the next
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

// TestUndoAll holds that what poison has taught the databases of users, more than are
// open at a time, is taken back in all of them at once, since a moment or all, and that
// each has then the dump of before.
func TestUndoAll(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 2)
	o := e.options
	e.Close()
	o.Auto = &Auto{People: 20}
	e = newEngine(t, o)
	e.auto.watch.Window = 1 << 20
	ctx := context.Background()
	users := []string{"", "u1", "u2", "u3"}
	for _, user := range users[1:] {
		for i := range 25 {
			teach(t, e, "ham", of(user, request("ham", 100+i)), backend.Learned)
			teach(t, e, "spam", of(user, request("spam", 100+i)), backend.Learned)
		}
	}
	eventually(t, "it is not calibrated", func() bool {
		k, err := e.shared.Current().Calibration()
		return err == nil && k != nil && k.Documents > 100
	})
	dumps := func() (all []string) {
		quiet(t, e)
		for _, user := range users {
			all = append(all, dumpOf(t, e, user))
		}
		return all
	}
	stream := func(first int) {
		for i := range 40 {
			for _, user := range users {
				ask(t, e, of(user, request("ham", first+i)))
				poison := request("spam", first+i)
				poison.Message = append(poison.Message, request("ham", first+i).Message...)
				ask(t, e, of(user, poison))
			}
		}
	}
	before := dumps()
	stream(1000)
	quiet(t, e) // what is queued is entered with the time when it is learned
	// The ledger has seconds.
	moment := time.Now().Truncate(time.Second).Add(time.Second)
	time.Sleep(time.Until(moment))
	between := dumps()
	stream(2000)
	after := dumps()
	for i, user := range users {
		if before[i] == between[i] || between[i] == after[i] {
			t.Fatalf("%q: nothing is learned automatically", user)
		}
	}
	for _, c := range []struct {
		since time.Time
		want  []string
	}{{time.Now().Add(time.Hour), after}, {moment, between}, {time.Time{}, before}} {
		u, err := e.UndoAll(ctx, byItself(c.since), false)
		if got := dumps(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("since %v: %+v, %v: the dumps are not those of then", c.since, u, err)
		}
	}
	if u, err := e.UndoAll(ctx, byItself(time.Time{}), false); u.Documents != 0 || err != nil {
		t.Errorf("once more: %+v, %v", u, err)
	}
}

// TestByID holds that documents are moved and forgotten by their ids in the order in which
// all else is learned, and that a document that was learned automatically is then who
// moved it's.
func TestByID(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 0)
	o := e.options
	e.Close()
	o.Auto = &Auto{}
	e = newEngine(t, o)
	ctx := context.Background()
	for _, user := range []string{"", "u1"} {
		d, release, err := e.of(ctx, user)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		teach(t, e, "spam", of(user, request("spam", 500)), backend.Learned)
		c, err := d.Open(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		before := dumpOf(t, e, user)
		doc := mail.Document(c, request("spam", 600).Message)
		doc.Source = backend.AutoSource
		auto := func() {
			t.Helper()
			if err := e.trainEach(ctx, d, []*learn.Training{{Doc: doc, Class: "spam"}}); err != nil {
				t.Fatal(err)
			}
		}
		entry := func() (entry *store.Entry) {
			t.Helper()
			err := c.Store().View(func(s *store.Snapshot) (err error) { entry, err = s.Entry(doc.ID); return err })
			if err != nil {
				t.Fatal(err)
			}
			return entry
		}
		for _, class := range []string{"ham", "spam"} {
			auto()
			want := map[string]backend.Outcome{"ham": backend.Moved, "spam": backend.Learned}[class]
			for range 2 {
				if out, err := e.Relabel(ctx, user, doc.ID.String(), class, "admin"); out != want || err != nil {
					t.Errorf("%q: %s: %v, %v", user, class, out, err)
				}
				want = backend.Unchanged
			}
			if u, err := e.Undo(ctx, user, byItself(time.Time{}), false); u.Documents != 0 || err != nil {
				t.Errorf("%q: %+v taken back, %v", user, u, err)
			}
			if got := entry(); got == nil || got.Class != class || got.Source != "admin" {
				t.Errorf("%q: %+v", user, got)
			}
			if out, err := e.Relabel(ctx, user, doc.ID.String(), "", "admin"); out != backend.Forgotten || err != nil {
				t.Errorf("%q: %v, %v", user, out, err)
			}
			if dumpOf(t, e, user) != before {
				t.Errorf("%q: %s: the dump is not that of before", user, class)
			}
		}
		if _, err := e.Relabel(ctx, user, doc.ID.String(), "", "admin"); !errors.Is(err, count.ErrNotLearned) {
			t.Errorf("%q: %v", user, err)
		}
		if _, err := e.Relabel(ctx, user, doc.ID.String(), "ham", "admin"); !errors.Is(err, count.ErrNotLearned) {
			t.Errorf("%q: %v", user, err)
		}
		if _, err := e.Relabel(ctx, user, doc.ID.String(), "werbung", "admin"); !errors.Is(err, backend.ErrClass) {
			t.Errorf("%q: %v", user, err)
		}
	}
	if _, err := e.Relabel(ctx, "eve", count.DocID{}.String(), "", "admin"); !errors.Is(err, backend.ErrUser) {
		t.Errorf("%v", err)
	}
}

// TestByIDDigest holds that a ledger without counts refuses one document and not those
// that are learned with it.
func TestByIDDigest(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Classify: classify.Options{Store: store.Options{Ledger: count.LedgerDigest}}})
	teach(t, e, "spam", request("spam", 1), backend.Learned)
	id := mail.Document(e.shared.Current(), request("spam", 1).Message).ID
	for range 2 {
		if _, err := e.Relabel(context.Background(), "", id.String(), "ham", "admin"); !errors.Is(err, store.ErrNoCounts) {
			t.Errorf("%v", err)
		}
		if _, err := e.Relabel(context.Background(), "", id.String(), "", "admin"); !errors.Is(err, store.ErrNoCounts) {
			t.Errorf("%v", err)
		}
	}
	teach(t, e, "spam", request("spam", 1), backend.Unchanged)
}

// TestAutoGuards holds that of answers that differ in one thing only those are learned that
// are sure, calibrated, about a message of an ordinary size, and given while there is room
// in the queue.
func TestAutoGuards(t *testing.T) {
	t.Parallel()
	e := automatic(t, Auto{})
	quiet(t, e)
	half := int64(busy / 2)
	for name, test := range map[string]struct {
		change  func(*answer.Reply)
		waiting int64
		want    bool
	}{
		"sure":            {func(*answer.Reply) {}, 0, true},
		"just sure":       {func(a *answer.Reply) { a.Probability = .9901 }, 0, true},
		"not sure enough": {func(a *answer.Reply) { a.Probability = .9899 }, 0, false},
		"unsure":          {func(a *answer.Reply) { a.Unsure = true }, 0, false},
		"uncalibrated":    {func(a *answer.Reply) { a.Calibrated = false }, 0, false},
		"no terms":        {func(a *answer.Reply) { a.Doc.Bag = new(tokenize.Bag) }, 0, false},
		"10,000 terms":    {func(a *answer.Reply) { a.Doc.Bag = numbers(10_000) }, 0, true},
		"10,001 terms":    {func(a *answer.Reply) { a.Doc.Bag = numbers(10_001) }, 0, false},
		"a shorter queue": {func(*answer.Reply) {}, half - 1, true},
		"half a queue":    {func(*answer.Reply) {}, half + 1, false},
	} {
		doc := classify.Document{ID: classify.ContentID([]byte(name)), Bag: numbers(20)}
		a := &answer.Reply{Answer: backend.Answer{Class: "spam", Probability: 1}, Doc: doc, Calibrated: true}
		test.change(a)
		e.waiting.Add(test.waiting)
		e.learnAutomatically(nil, a)
		e.waiting.Add(-test.waiting)
		quiet(t, e)
		if entry := entryOf(t, e, doc.ID); (entry != nil) != test.want {
			t.Errorf("%s: learned %v, want %v", name, entry != nil, test.want)
		}
	}
}

// numbers returns a Bag of n terms.
func numbers(n int) *tokenize.Bag {
	bag := new(tokenize.Bag)
	for i := range n {
		bag.Add(fmt.Append(nil, "number", i))
	}
	return bag
}

// entryOf returns the entry of a document in the shared ledger, nil if it has none.
func entryOf(t *testing.T, e *Engine, id count.DocID) (entry *store.Entry) {
	t.Helper()
	err := e.shared.Current().Store().View(func(s *store.Snapshot) (err error) { entry, err = s.Entry(id); return err })
	if err != nil {
		t.Fatal(err)
	}
	return entry
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

// TestUndoLeavesCorrected holds that a document that somebody corrects or confirms while
// Undo is in progress stays.
func TestUndoLeavesCorrected(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	if _, err := e.shared.Open(ctx, true); err != nil {
		t.Fatal(err)
	}
	var ids []count.DocID
	for i := range 4 {
		doc := mail.Document(e.shared.Current(), request("spam", i).Message)
		doc.Source = backend.AutoSource
		if err := e.trainEach(ctx, e.shared, []*learn.Training{{Doc: doc, Class: "spam"}}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, doc.ID)
	}
	search := &calls{Context: ctx}
	if found, err := e.Undo(search, "", byItself(time.Time{}), true); err != nil || found.Documents != 4 {
		t.Fatalf("dry run: %+v, %v", found, err)
	}
	got, err := e.Undo(&calls{ctx, 1 - search.n, func() {
		teach(t, e, "ham", request("spam", 1), backend.Moved)
		teach(t, e, "spam", request("spam", 2), backend.Learned)
	}}, "", byItself(time.Time{}), false)
	if want := (classify.Undone{Documents: 2, Classes: map[string]int{"spam": 2}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for i, want := range []string{"", "ham", "spam", ""} {
		if entry := entryOf(t, e, ids[i]); entry == nil && want != "" || entry != nil && (entry.Class != want || entry.Source != "test") {
			t.Errorf("document %d: %+v, want class %q", i, entry, want)
		}
	}
}

// TestAutoUncalibrated holds that nothing is learned automatically before the models are
// calibrated, however sure their answers are.
func TestAutoUncalibrated(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{FitAfter: 24 * time.Hour, Auto: &Auto{People: 20, Error: .4}})
	for i := range 30 {
		teach(t, e, "ham", request("ham", i), backend.Learned)
		teach(t, e, "spam", request("spam", i), backend.Learned)
	}
	sure := 0
	for i := range 20 {
		if a := ask(t, e, request("spam", 1000+i)); !a.Unsure && a.Probability > .6 {
			sure++
		}
	}
	quiet(t, e)
	if n := calibratedAt(t, e); sure == 0 || n != 0 {
		t.Fatalf("%d answers are sure, calibrated with %d documents", sure, n)
	}
	if n := sources(t, e)[[2]string{"spam", backend.AutoSource}]; n != 0 {
		t.Errorf("%d documents are learned", n)
	}
}

// TestAutoDigest holds that a document that was learned automatically, and of which the
// ledger has only a digest, is not learned anew when somebody confirms it.
func TestAutoDigest(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Classify: classify.Options{Store: store.Options{Ledger: count.LedgerDigest}}})
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	r := request("spam", 1)
	doc := mail.Document(e.shared.Current(), r.Message)
	doc.Source = backend.AutoSource
	if err := e.trainEach(context.Background(), e.shared, []*learn.Training{{Doc: doc, Class: "spam"}}); err != nil {
		t.Fatal(err)
	}
	before := dump(t, e)
	teach(t, e, "spam", r, backend.Unchanged)
	if dump(t, e) != before {
		t.Error("the database has changed")
	}
}

// TestAutoWrong holds that only what was learned automatically counts as wrongly learned when
// somebody moves it to another class.
func TestAutoWrong(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Auto: &Auto{}})
	teach(t, e, "ham", request("spam", 1), backend.Learned)
	teach(t, e, "spam", request("spam", 1), backend.Moved)
	if s := e.AutoState(); s.Wrong != 0 {
		t.Errorf("people corrected themselves: %+v", s)
	}
	doc := mail.Document(e.shared.Current(), request("spam", 2).Message)
	doc.Source = backend.AutoSource
	if err := e.trainEach(context.Background(), e.shared, []*learn.Training{{Doc: doc, Class: "ham"}}); err != nil {
		t.Fatal(err)
	}
	teach(t, e, "spam", request("spam", 2), backend.Moved)
	if s := e.AutoState(); s.Wrong != 1 {
		t.Errorf("a document learned automatically was corrected: %+v", s)
	}
}
