package engine

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/serve/backend"
)

// filtering returns an Engine with a filter for spam and users, of which the shared database
// has learned, is calibrated, and is not fitted any more.
func filtering(t *testing.T) *Engine {
	dir := t.TempDir()
	e := newEngine(t, Options{
		Path: filepath.Join(dir, "shared.polya"), Users: Users{Path: filepath.Join(dir, "%u.db"), Pattern: ".*"},
		Spam: []string{"spam"}, Classify: classify.Options{Decision: decision.Filter{Positive: "spam"}, Fitting: classify.FitByHand},
	})
	for i := range 100 {
		teach(t, e, "ham", request("ham", i), backend.Learned)
		teach(t, e, "spam", request("spam", i), backend.Learned)
	}
	if err := e.shared.Current().Refit(context.Background()); err != nil {
		t.Fatal(err)
	}
	e.fits.Close()
	return e
}

// newsletter is a message with some words of spam and some of its own.
func newsletter(user string, n int) backend.Request {
	return of(user, backend.Request{Source: "test", Message: fmt.Appendf(nil, "From: concerts@example.org\nSubject: programme\nMessage-ID: <%d@concerts>\n\n"+
		"offer limited prize bonus offer limited prize composers quartet rehearsal season tickets week%d\n", n, n)})
}

// A lesson counts for the next question, before anything is fitted, and rescuing messages of
// one kind moves no others.
func TestRescued(t *testing.T) {
	t.Parallel()
	e := filtering(t)
	if a := ask(t, e, newsletter("u1", 0)); a.Class != "spam" {
		t.Fatalf("%+v", a)
	}
	before := ask(t, e, newsletter("u1", 99))
	for i := range 10 {
		teach(t, e, "ham", newsletter("u1", i), backend.Learned)
		if a := ask(t, e, newsletter("u1", 99)); i == 0 && a.Score >= before.Score || i >= 2 && (a.Unsure || a.Class != "ham") {
			t.Errorf("after %d lessons: %+v, before %+v", i+1, a, before)
		}
	}
	for i := range 30 {
		if a := ask(t, e, of("u1", request("spam", 1000+i))); !a.Spam || len(a.Reasons) == 0 {
			t.Errorf("spam %d: %+v", i, a)
		}
		if a := ask(t, e, of("u1", request("ham", 1000+i))); a.Class != "ham" || a.Unsure {
			t.Errorf("ham %d: %+v", i, a)
		}
	}
	if a := ask(t, e, newsletter("u2", 99)); a.Class != "spam" {
		t.Errorf("another user: %+v", a)
	}
}

// A lesson taken back leaves the answer that was there before it.
func TestForgotten(t *testing.T) {
	t.Parallel()
	e := filtering(t)
	teach(t, e, "ham", of("u1", request("ham", 700)), backend.Learned)
	before := ask(t, e, newsletter("u1", 9))
	teach(t, e, "ham", newsletter("u1", 1), backend.Learned)
	after := ask(t, e, newsletter("u1", 9))
	if after.Score >= before.Score {
		t.Errorf("the lesson does not count: %+v, before %+v", after, before)
	}
	if _, err := e.Learn(context.Background(), newsletter("u1", 1), ""); err != nil {
		t.Fatal(err)
	}
	again := ask(t, e, newsletter("u1", 9))
	if !reflect.DeepEqual(again, before) {
		t.Errorf("%+v, want %+v", again, before)
	}
}

// Without a shared database the user's own answers, with the Decision, once it can.
func TestNoBase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := newEngine(t, Options{
		Path: filepath.Join(dir, "shared.polya"), Users: Users{Path: filepath.Join(dir, "%u.db"), Pattern: ".*"},
		Spam: []string{"spam"}, Classify: classify.Options{Decision: decision.Filter{Positive: "spam"}},
	})
	teach(t, e, "ham", of("u1", request("ham", 1)), backend.Learned)
	if a := ask(t, e, of("u1", request("ham", 2))); !a.Unsure {
		t.Errorf("nothing is known of spam: %+v", a)
	}
	for i := range 40 {
		teach(t, e, "ham", of("u1", request("ham", 10+i)), backend.Learned)
		teach(t, e, "spam", of("u1", request("spam", 10+i)), backend.Learned)
	}
	eventually(t, "it is not answered as it was taught", func() bool {
		s, h := ask(t, e, of("u1", request("spam", 1000))), ask(t, e, of("u1", request("ham", 1000)))
		return s.Spam && h.Class == "ham" && math.Abs(h.Score) < 9999
	})
}
