package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// While the file is lent another writes it, questions are answered from what that has
// committed, and trainings wait until it is given back.
func TestLend(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mail.polya")
	e, err := New(Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx := t.Context()
	message := func(id, text string) backend.Request {
		return backend.Request{Message: []byte("Message-ID: <" + id + "@x>\nSubject: x\n\n" + text + "\n")}
	}
	for class, text := range map[string]string{"spam": "prize money", "ham": "the minutes"} {
		if _, err := e.Learn(ctx, message(class, text), class); err != nil {
			t.Fatal(err)
		}
	}
	giveBack, err := e.Lend(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := e.Lend(short, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lent twice: %v", err)
	}

	other, err := classify.Open(path, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	learned := make(chan error, 1)
	go func() {
		_, err := e.Learn(ctx, message("waits", "holiday pictures"), "ham")
		learned <- err
	}()
	eventually(t, "nothing waits to be learned", func() bool { return e.waiting.Load() == 1 })
	for range 20 {
		if a, err := e.Classify(ctx, message("asked", "prize money"), false); err != nil || a.Class != "spam" {
			t.Errorf("while it is lent: %+v, %v", a, err)
		}
	}
	if _, err := other.Train(ctx, "werbung", mail.Document(other, message("new", "buy now").Message)); err != nil {
		t.Fatal(err)
	}
	if classes, err := e.Classes(ctx, ""); err != nil || len(classes) != 3 {
		t.Errorf("classes are %q, %v", classes, err)
	}
	select {
	case err := <-learned:
		t.Errorf("learned while it is lent: %v", err)
	default:
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	giveBack()
	if err := <-learned; err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if o, err := e.Learn(ctx, message("waits", "holiday pictures"), "ham"); o != backend.Unchanged || err != nil {
		t.Errorf("what has waited is not learned: %v, %v", o, err)
	}
	if giveBack, err = e.Lend(ctx, ""); err != nil {
		t.Fatal(err)
	}
	giveBack()
}

// A user's database is lent as the shared one is, counts as open while it is, and is answered
// from when it is back.
func TestLendUser(t *testing.T) {
	t.Parallel()
	e := withUsers(t, 1)
	ctx := t.Context()
	teach(t, e, "ham", of("u1", request("spam", 700)), backend.Learned)
	if _, err := e.Lend(ctx, "eve"); !errors.Is(err, backend.ErrUser) {
		t.Errorf("to nobody: %v", err)
	}
	for file, want := range map[string]string{"u1.polya": "u1", "u2.polya": "", "U1.polya": "", "u1": "", ".polya.sock": "", "../shared.polya": "", "": ""} {
		if user, err := e.Owner(file); user != want || (err == nil) != (want != "") {
			t.Errorf("%q is of %q: %v", file, user, err)
		}
	}
	giveBack, err := e.Lend(ctx, "u1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := classify.Open(filepath.Join(filepath.Dir(e.options.Path), "users", "u1.polya"), classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := c.Train(ctx, "ham", mail.Document(c, request("spam", 701+i).Message)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	ask(t, e, of("u1", request("spam", 800)))
	short, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := e.Change(short, "u2", func(*classify.Classifier) error { return nil }); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("another waits while a database is lent: %v", err)
	}
	giveBack()
	giveBack()
	teach(t, e, "ham", of("u2", request("ham", 700)), backend.Learned)
	teach(t, e, "ham", of("u1", request("spam", 701)), backend.Unchanged)
	changed := false
	if err := e.Change(ctx, "u1", func(c *classify.Classifier) error {
		_, err := c.Train(ctx, "ham", mail.Document(c, request("spam", 900).Message))
		changed = true
		return err
	}); err != nil || !changed {
		t.Errorf("changed %v: %v", changed, err)
	}
	teach(t, e, "ham", of("u1", request("spam", 900)), backend.Unchanged)
	eventually(t, "u1's own mail counts", func() bool { return ask(t, e, of("u1", request("spam", 1000))).Class == "ham" })
}
