package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

var words = map[string][]string{
	"ham":  strings.Fields("minutes meeting agenda compiler patch kernel lunch garden report train review thesis"),
	"spam": strings.Fields("winner casino pills prize claim offer cheap loan bonus limited click money"),
}

// message is a message of a class, a different one for each n.
func message(class string, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(len(class))))
	var b strings.Builder
	fmt.Fprintf(&b, "From: %s%d@example.org\nSubject: %s\nMessage-ID: <%s%d@example.org>\n\n", class, n%5, words[class][n%5], class, n)
	for range 30 {
		list := words[class]
		if r.IntN(8) == 0 {
			list = words["ham"]
		}
		b.WriteString(list[r.IntN(len(list))] + " ")
	}
	return []byte(b.String() + "\n")
}

func request(class string, n int) backend.Request {
	return backend.Request{Message: message(class, n), Source: "test"}
}

func newEngine(t *testing.T, o Options) *Engine {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "polya.db")
	}
	if o.FitAfter == 0 {
		o.FitAfter = time.Millisecond
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func teach(t *testing.T, e *Engine, class string, r backend.Request, want backend.Outcome) {
	t.Helper()
	got, err := e.Learn(context.Background(), r, class)
	if err != nil || got != want {
		t.Fatalf("Learn as %s: %v, %v, want %v", class, got, err, want)
	}
}

func ask(t *testing.T, e *Engine, r backend.Request) backend.Answer {
	t.Helper()
	a, err := e.Classify(context.Background(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// eventually waits until f returns true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

func TestCold(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	if err := e.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if a := ask(t, e, request("ham", 1)); !a.Unsure || a.Spam || a.Class == "" {
		t.Errorf("with no database: %+v", a)
	}
	if _, err := os.Stat(e.options.Path); err == nil {
		t.Error("a question has made the database")
	}
	if out, err := e.Learn(ctx, request("ham", 1), ""); out != backend.Unchanged || err != nil {
		t.Errorf("Forget: %v, %v", out, err)
	}
	untaught := func(want string) {
		t.Helper()
		if why, err := e.Untaught(ctx); err != nil || !strings.Contains(why, want) || want == "" && why != "" {
			t.Errorf("untaught: %q, want %q: %v", why, want, err)
		}
	}
	untaught(`class "spam"`)
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	if a := ask(t, e, request("spam", 1)); !a.Unsure || a.Class != "ham" {
		t.Errorf("with one class: %+v", a)
	}
	untaught(`class "spam"`)
	teach(t, e, "spam", request("spam", 1), backend.Learned)
	untaught("")
	if a := ask(t, e, request("spam", 1)); a.Class != "spam" || len(a.Reasons) == 0 {
		t.Errorf("with two classes: %+v", a)
	}
}

// While spam alone is learned, a message that is unlike all of it is the less probably spam.
func TestOnlySpam(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	for n := range 20 {
		teach(t, e, "spam", request("spam", n), backend.Learned)
	}
	like, unlike := ask(t, e, request("spam", 3)), ask(t, e, request("ham", 3))
	if like.Class != "spam" || !like.Unsure || like.Probability != 21./22 || like.Score != math.Log2(21) || len(like.Reasons) != 0 {
		t.Errorf("spam: %+v", like)
	}
	if unlike.Class != "spam" || !unlike.Unsure || !(unlike.Probability < .9) || !(unlike.Score < 4) || !(unlike.Score >= 0) {
		t.Errorf("ham: %+v", unlike)
	}
}

func TestLearn(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	r := request("spam", 7)
	teach(t, e, "ham", r, backend.Learned)
	teach(t, e, "ham", r, backend.Unchanged)
	// Header fields that are added on the way make it no other message.
	again := backend.Request{Message: append([]byte("Received: from mx\n"), r.Message...), Source: "later"}
	teach(t, e, "ham", again, backend.Unchanged)
	teach(t, e, "spam", again, backend.Moved)
	if _, err := e.Learn(ctx, r, "werbung"); !errors.Is(err, backend.ErrClass) {
		t.Errorf("an unknown class: %v", err)
	}
	if out, err := e.Learn(ctx, r, ""); out != backend.Forgotten || err != nil {
		t.Errorf("Forget: %v, %v", out, err)
	}
	if out, err := e.Learn(ctx, r, ""); out != backend.Unchanged || err != nil {
		t.Errorf("Forget again: %v, %v", out, err)
	}
	teach(t, e, "ham", r, backend.Learned)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Classify(ctx, r, false); err == nil {
		t.Error("it answers after Close")
	}
	c, err := classify.Open(e.options.Path, classify.Options{Store: store.Options{MustExist: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var entries []store.Entry
	c.Store().View(func(s *store.Snapshot) error {
		return s.Entries(func(e *store.Entry) error { entries = append(entries, *e); return nil })
	})
	if len(entries) != 1 || entries[0].Class != "ham" || entries[0].Source != "test" {
		t.Errorf("ledger: %+v", entries)
	}
}

// TestTogether holds that trainings at the same time each have their own outcome, those
// of one message too, that answers are sure once all is learned and fitted, and that
// they agree with their scores.
func TestTogether(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	const n = 150
	outcomes := make(map[backend.Outcome]int)
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 4 * n {
		all.Go(func() {
			class := []string{"ham", "spam"}[i%2]
			out, err := e.Learn(ctx, request(class, i%(2*n)), class)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			outcomes[out]++
		})
	}
	all.Wait()
	if outcomes[backend.Learned] != 2*n || outcomes[backend.Unchanged] != 2*n {
		t.Errorf("outcomes %v, want %d each of learned and unchanged", outcomes, 2*n)
	}
	eventually(t, "it is not calibrated", func() bool {
		k, err := e.shared.Current().Calibration()
		return err == nil && k != nil && k.Documents > 2*n*9/10 // or as good as all
	})
	for i := range 40 {
		for _, class := range []string{"ham", "spam"} {
			a := ask(t, e, request(class, 10_000+i))
			if a.Class != class || a.Unsure {
				t.Errorf("%s: %+v", class, a)
			}
			if a.Spam != (a.Score > a.Threshold) {
				t.Errorf("%s: spam %v, score %v, threshold %v", class, a.Spam, a.Score, a.Threshold)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	e.waiting.Add(busy)
	e.asking.Add(busy)
	if _, err := e.Learn(ctx, request("ham", 1), "ham"); !errors.Is(err, backend.ErrBusy) {
		t.Errorf("Learn: %v", err)
	}
	if _, err := e.Classify(ctx, request("ham", 1), false); !errors.Is(err, backend.ErrBusy) {
		t.Errorf("Classify: %v", err)
	}
	e.waiting.Add(-busy)
	e.asking.Add(-busy)
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := e.Learn(ended, request("ham", 2), "ham"); !errors.Is(err, context.Canceled) {
		t.Errorf("Learn: %v", err)
	}
	if _, err := e.Classify(ended, request("ham", 2), false); !errors.Is(err, context.Canceled) {
		t.Errorf("Classify: %v", err)
	}
}

// A training for which there is no place, or that comes too late, takes no place from those after it.
func TestRefusedTakesNoPlace(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	e.waiting.Add(busy)
	for range 3 {
		if _, err := e.Learn(t.Context(), request("ham", 1), "ham"); !errors.Is(err, backend.ErrBusy) {
			t.Errorf("in a full queue: %v", err)
		}
	}
	e.waiting.Add(-busy)
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	e.Close()
	if err := e.submit(e.shared, &learn.Training{}); !errors.Is(err, learn.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if n := e.waiting.Load(); n != 0 {
		t.Errorf("%d wait", n)
	}
}

// TestClose holds that what was accepted before Close is learned.
func TestClose(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	ctx := context.Background()
	teach(t, e, "ham", request("ham", 0), backend.Learned)
	var mu sync.Mutex
	learned := 1
	some := make(chan struct{}) // closed when one is learned
	begun := sync.OnceFunc(func() { close(some) })
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			_, err := e.Learn(ctx, request("ham", 1+i), "ham")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				learned++
				begun()
			} else if !errors.Is(err, learn.ErrClosed) {
				t.Error(err)
			}
		})
	}
	<-some
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if docs := documents(t, e.options.Path); docs != learned {
		t.Errorf("%d documents, but %d were learned", docs, learned)
	}
}

func documents(t *testing.T, path string) int {
	t.Helper()
	db, err := store.Open(path, store.Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var docs uint64
	db.View(func(s *store.Snapshot) error { docs = s.Documents(); return nil })
	return int(docs)
}

// TestUnwell holds that what is wrong with a database is an error of each call, at once,
// and gone when the cause is.
func TestUnwell(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		spoil func(path string) (mend func())
		want  error
	}{
		"another holds it": {func(path string) func() {
			c, err := classify.Open(path, classify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return func() { c.Close() }
		}, store.ErrInUse},
		"no database": {func(path string) func() {
			os.WriteFile(path, []byte(strings.Repeat("not a database ", 1000)), 0o600)
			return func() { os.Remove(path) }
		}, store.ErrNotPolya},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "polya.db")
			mend := test.spoil(path)
			e := newEngine(t, Options{Path: path})
			start := time.Now()
			for range 20 {
				if _, err := e.Classify(ctx, request("ham", 1), false); !errors.Is(err, test.want) {
					t.Errorf("Classify: %v", err)
				}
				if _, err := e.Learn(ctx, request("ham", 1), "ham"); !errors.Is(err, test.want) {
					t.Errorf("Learn: %v", err)
				}
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("40 refusals took %v", took)
			}
			mend()
			eventually(t, "it does not learn", func() bool {
				_, err := e.Learn(ctx, request("ham", 1), "ham")
				return err == nil
			})
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	for i := range 30 {
		teach(t, e, "ham", request("ham", i), backend.Learned)
		teach(t, e, "spam", request("spam", i), backend.Learned)
	}
	e.Close()
	e = newEngine(t, Options{Path: e.options.Path, Classify: classify.Options{Store: store.Options{ReadOnly: true}}})
	if _, err := e.Learn(context.Background(), request("ham", 100), "ham"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Learn: %v", err)
	}
	if a := ask(t, e, request("spam", 100)); a.Class != "spam" {
		t.Errorf("%+v", a)
	}
}

// TestReplaced holds that trainings and, after Reopen, answers are of the database that
// has the path.
func TestReplaced(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	other := newEngine(t, Options{Path: filepath.Join(t.TempDir(), "other.db")})
	for i := range 30 {
		teach(t, other, "ham", request("ham", i), backend.Learned)
		teach(t, other, "spam", request("spam", i), backend.Learned)
	}
	other.Close()
	for _, step := range []string{"training", "reopening"} {
		data, err := os.ReadFile(other.options.Path)
		if err != nil {
			t.Fatal(err)
		}
		aside := e.options.Path + ".new"
		if err := os.WriteFile(aside, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(aside, e.options.Path); err != nil {
			t.Fatal(err)
		}
		if step == "training" {
			teach(t, e, "ham", request("ham", 50), backend.Learned)
			teach(t, e, "ham", request("ham", 1), backend.Unchanged)
		} else if err := e.Reopen(context.Background()); err != nil {
			t.Fatal(err)
		}
		if a := ask(t, e, request("spam", 100)); a.Class != "spam" {
			t.Errorf("after %s: %+v", step, a)
		}
	}
	e.Close()
	if docs := documents(t, e.options.Path); docs != 60 {
		t.Errorf("%d documents, want 60", docs)
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Classify: classify.Options{Store: store.Options{Ledger: count.LedgerDigest}}})
	r := request("spam", 1)
	teach(t, e, "ham", r, backend.Learned)
	changed := backend.Request{Message: append([]byte("X-Scanned: by example\n"), r.Message...)}
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() { teach(t, e, "ham", request("ham", i), backend.Learned) })
	}
	if _, err := e.Learn(context.Background(), changed, "spam"); !errors.Is(err, store.ErrNoCounts) || !errors.Is(err, backend.ErrRefused) {
		t.Errorf("a copy with other fields: %v", err)
	}
	if _, err := e.Learn(context.Background(), changed, ""); !errors.Is(err, store.ErrNoCounts) || !errors.Is(err, backend.ErrRefused) {
		t.Errorf("a copy with other fields: %v", err)
	}
	all.Wait()
	teach(t, e, "spam", r, backend.Moved)
}

// TestReasons holds that of a message of many words an answer has the strongest twenty, and
// none if it is not asked for them.
func TestReasons(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	many := func(class string, n int) backend.Request {
		text := "Subject: many\n\n"
		for i := range n {
			text += fmt.Sprintf("%s%c%c ", class, 'a'+i/26, 'a'+i%26)
		}
		return backend.Request{Message: []byte(text)}
	}
	teach(t, e, "ham", many("ham", 300), backend.Learned)
	teach(t, e, "spam", many("spam", 300), backend.Learned)
	if a := ask(t, e, many("spam", 200)); a.Class != "spam" || len(a.Reasons) != 20 {
		t.Errorf("%d reasons for %q", len(a.Reasons), a.Class)
	}
	if a, err := e.Classify(context.Background(), many("spam", 200), false); err != nil || len(a.Reasons) != 0 {
		t.Errorf("unasked: %d reasons, %v", len(a.Reasons), err)
	}
}

// Where nothing of spam is learned, or there is no such class, the other classes answer.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, spam := range [][]string{nil, {}} {
		e := newEngine(t, Options{Spam: spam, Classes: []string{"ham", "folder"}})
		for n := range 100 {
			teach(t, e, "ham", request("ham", n), backend.Learned)
			teach(t, e, "folder", request("spam", n), backend.Learned)
		}
		calibrated(t, e)
		sure := 0
		for n := range 50 {
			a := ask(t, e, request("spam", 1000+n))
			if a.Class != "folder" || a.Spam || a.Score > a.Threshold {
				t.Errorf("spam %v: %+v", spam, a)
			}
			if !a.Unsure {
				sure++
			}
		}
		if sure < 40 {
			t.Errorf("spam %v: only %d of 50 answers are sure", spam, sure)
		}
		if why, err := e.Untaught(context.Background()); why != "" || err != nil {
			t.Error(why, err)
		}
		e.Close()
	}
}
