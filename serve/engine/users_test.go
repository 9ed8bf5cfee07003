package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
)

// withUsers returns an Engine whose shared database has learned, and where users have
// names that begin with u.
func withUsers(t *testing.T, maxOpen int) *Engine {
	dir := t.TempDir()
	e := newEngine(t, Options{Path: filepath.Join(dir, "shared.polya"), Users: Users{
		Path: filepath.Join(dir, "users", "%u.polya"), MaxOpen: maxOpen,
		Pattern: "u.*",
	}})
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() { teach(t, e, "ham", request("ham", i), backend.Learned) })
		all.Go(func() { teach(t, e, "spam", request("spam", i), backend.Learned) })
	}
	all.Wait()
	return e
}

func of(user string, r backend.Request) backend.Request {
	r.User = user
	return r
}

func files(t *testing.T, e *Engine) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.Dir(e.options.Path), "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A user whose database would be the shared one has none, and does not teach everybody.
func TestUserOfTheSharedName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := newEngine(t, Options{Path: filepath.Join(dir, "mail.polya"), Users: Users{
		Path: dir + "/./%u.polya", Pattern: ".*",
	}})
	teach(t, e, "ham", request("ham", 1), backend.Learned)
	r := of("mail", request("spam", 1))
	ask(t, e, r)
	if _, err := e.Learn(context.Background(), r, "spam"); !errors.Is(err, backend.ErrUser) {
		t.Errorf("Learn: %v", err)
	}
	if u, err := e.UndoAll(context.Background(), byItself(time.Time{}), false); u.Documents != 0 || err != nil {
		t.Errorf("UndoAll: %+v, %v", u, err)
	}
}

func TestStrangers(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 0)
	before, _ := os.ReadDir(filepath.Dir(e.options.Path))
	for _, user := range []string{
		"eve", "../u", "u/../../x", "u/x", "/etc/u", "u\x00", "u\n", ".", "..", ".u", "u\\x", "u\xff", "u:x", "u" + strings.Repeat("x", 300), "a%u",
		"u\u212a", "u\u0130", "u\u212b", "u@\u212a", // Kelvin, dotted I, Ångström: in lower case they are k, i and å
	} {
		r := of(user, request("spam", 500))
		if a := ask(t, e, r); a.Class != "spam" {
			t.Errorf("%q: %+v", user, a)
		}
		if _, err := e.Learn(context.Background(), r, "ham"); !errors.Is(err, backend.ErrUser) {
			t.Errorf("%q: Learn: %v", user, err)
		}
		if _, err := e.Learn(context.Background(), r, ""); !errors.Is(err, backend.ErrUser) {
			t.Errorf("%q: Forget: %v", user, err)
		}
		if _, err := e.Classes(context.Background(), user); err != nil {
			t.Errorf("%q: Classes: %v", user, err)
		}
	}
	// The shared database is nobody's own, wherever it is.
	shared := t.TempDir()
	inside := newEngine(t, Options{Path: filepath.Join(shared, "p2"), Users: Users{Path: filepath.Join(shared, "p%u"), Pattern: ".*"}})
	teach(t, inside, "spam", request("spam", 1), backend.Learned)
	if _, err := inside.Learn(context.Background(), of("2", request("spam", 2)), "ham"); !errors.Is(err, backend.ErrUser) {
		t.Errorf("the shared database is a user's: %v", err)
	}
	// A user who has taught nothing has no database either.
	r := of("ute", request("spam", 500))
	if a := ask(t, e, r); a.Class != "spam" {
		t.Errorf("%+v", a)
	}
	if out, err := e.Learn(context.Background(), r, ""); out != backend.Unchanged || err != nil {
		t.Errorf("Forget: %v, %v", out, err)
	}
	after, _ := os.ReadDir(filepath.Dir(e.options.Path))
	if len(after) != len(before) || len(files(t, e)) != 0 {
		t.Errorf("files were made: %v, %v", after, files(t, e))
	}
}

// TestDisagree holds that a user who files some mail otherwise than the shared database
// is answered so, while others are not, and that this outlives the process.
func TestDisagree(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 0)
	// To Ursula what the base takes for spam is ham, and the other way round.
	for i := range 60 {
		teach(t, e, "ham", of("Ursula", request("spam", 1000+i)), backend.Learned)
		teach(t, e, "spam", of("ursula", request("ham", 1000+i)), backend.Learned)
	}
	teach(t, e, "ham", of("ursula", request("spam", 1000)), backend.Unchanged)
	if names := files(t, e); len(names) != 1 || filepath.Base(names[0]) != "ursula.polya" {
		t.Errorf("files %v", names)
	}
	right := func(e *Engine, user string) (n int) {
		for i := range 20 {
			a := ask(t, e, of(user, request("spam", 2000+i)))
			if (a.Class == "ham") == (user == "ursula") {
				n++
			}
			if sum := len(a.Reasons); sum == 0 {
				t.Errorf("%s: no reasons", user)
			}
			if a.Spam && a.Score <= a.Threshold {
				t.Errorf("%s: %+v", user, a)
			}
		}
		return n
	}
	e.fits.Finish()
	if n := right(e, "ursula"); n < 19 {
		t.Errorf("%d of 20 are answered as she taught", n)
	}
	for _, user := range []string{"", "ute", "eve"} {
		if n := right(e, user); n != 20 {
			t.Errorf("%q: %d of 20", user, n)
		}
	}
	e.Close()
	again := newEngine(t, e.options)
	again.fits.Close() // what was fitted was kept
	if n := right(again, "ursula"); n < 19 {
		t.Errorf("opened anew, %d of 20 are answered as she taught", n)
	}
}

// TestManyUsers holds that users' databases are opened and closed as they are needed,
// and nothing is lost by it.
func TestManyUsers(t *testing.T) {
	t.Parallel()
	const maxOpen, users, messages = 3, 12, 5
	e := withUsers(t, maxOpen)
	var all sync.WaitGroup
	for worker := range users { // more than can have one at a time
		all.Go(func() {
			for i := range messages {
				for u := worker; u < users; u += users {
					teach(t, e, "spam", of(fmt.Sprint("u", u), request("spam", 100+i)), backend.Learned)
					ask(t, e, of(fmt.Sprint("u", (u*7)%users), request("spam", 3)))
					open := slices.DeleteFunc(e.users.All(), func(d *learn.Database) bool { return d.Current() == nil })
					if len(open) > maxOpen+1 { // one may be fitted
						t.Errorf("%d open", len(open))
					}
				}
			}
		})
	}
	all.Wait()
	e.Close()
	if names := files(t, e); len(names) != users {
		t.Errorf("%d files: %v", len(names), names)
	}
	for u := range users {
		if n := documents(t, strings.ReplaceAll(e.options.Users.Path, "%u", fmt.Sprint("u", u))); n != messages {
			t.Errorf("u%d has %d documents", u, n)
		}
	}
}

// TestBusyUsers holds that who asks or teaches waits for room for a user's database as long
// as he may.
func TestBusyUsers(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 1)
	ctx := context.Background()
	for i := range 60 {
		teach(t, e, "ham", of("u1", request("spam", 100+i)), backend.Learned)
	}
	eventually(t, "he is not answered as he taught", func() bool { return ask(t, e, of("u1", request("spam", 300))).Class == "ham" })
	teach(t, e, "spam", of("u2", request("spam", 100)), backend.Learned)
	quiet(t, e)
	e.fits.Close()
	held, release, err := e.users.Acquire(ctx, "u2", false)
	if err != nil || held == nil {
		t.Fatal(held, err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := e.Learn(short, of("u1", request("spam", 400)), "ham"); !errors.Is(err, backend.ErrBusy) {
		t.Errorf("Learn: %v", err)
	}
	if _, err := e.Classify(short, of("u1", request("spam", 300)), false); !errors.Is(err, backend.ErrBusy) {
		t.Errorf("Classify: %v", err)
	}
	release()
	if a := ask(t, e, of("u1", request("spam", 300))); a.Class != "ham" {
		t.Errorf("then: %+v", a)
	}
}

// TestSpoilt holds that a user whose database is no database is answered by the shared
// one, and told when he teaches.
func TestSpoilt(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 0)
	path := strings.ReplaceAll(e.options.Users.Path, "%u", "u1")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("what is this? ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := of("u1", request("spam", 100))
	want, got := ask(t, e, request("spam", 100)), ask(t, e, r)
	if got.Class != "spam" || math.Abs(got.Probability-want.Probability) > .2 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := e.Learn(context.Background(), r, "ham"); err == nil {
		t.Error("it has learned")
	}
}
