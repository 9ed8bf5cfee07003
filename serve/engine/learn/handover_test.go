package learn

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
)

// database returns a database that is not there yet, with its path. The end of the test closes it.
func database(t *testing.T) (d *Database, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mail.polya")
	log := slog.New(slog.DiscardHandler)
	fits := NewFits(time.Hour, log)
	t.Cleanup(fits.Close)
	d = New(path, Options{Fits: fits, Log: log})
	t.Cleanup(func() { d.Close() })
	return d, path
}

// A file is taken back from a process that does nothing with it, once others have waited.
// While that process writes it, trainings fail with a temporary error, and questions are
// answered all the same.
func TestTakeBackFile(t *testing.T) {
	t.Parallel()
	d, path := database(t)
	d.patience = 5 * time.Millisecond // taking the file back may take longer
	ctx := t.Context()
	document := func(id string) classify.Document {
		c, err := d.Open(ctx, true)
		if err != nil {
			t.Fatal(err)
		}
		return mail.Document(c, []byte("Message-ID: <"+id+"@x>\nSubject: x\n\nprize money\n"))
	}
	learn := func(id, class string) (backend.Outcome, error) {
		training := &Training{Doc: document(id), Class: class}
		d.Learn(training, func() {})
		err := training.Wait(ctx)
		return training.Outcome, err
	}
	for _, class := range []string{"spam", "ham"} {
		if _, err := learn(class, class); err != nil {
			t.Fatal(err)
		}
	}
	for _, idle := range []bool{true, false} {
		giveBack, err := d.HandOver(ctx)
		if err != nil {
			t.Fatal(err)
		}
		other, err := classify.Open(path, classify.Options{Store: store.Options{Share: idle}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := learn("waits", "spam")
		if idle && (o != backend.Learned || err != nil) || !idle && !errors.Is(err, backend.ErrBusy) {
			t.Errorf("idle %v: %v, %v", idle, o, err)
		}
		asked := document("asked")
		if r, err := d.Current().Classify(ctx, asked); err != nil || r.Class == "" {
			t.Errorf("idle %v: %+v, %v", idle, r, err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
		giveBack()
		giveBack()
		if o, err := learn("after", map[bool]string{true: "spam", false: "ham"}[idle]); o == backend.Unchanged || err != nil {
			t.Errorf("idle %v: %v, %v", idle, o, err)
		}
	}
}

// A database that another process makes is there for the next question.
func TestMadeMeanwhile(t *testing.T) {
	t.Parallel()
	d, path := database(t)
	if c, err := d.Open(t.Context(), false); c != nil || err != nil {
		t.Fatal(c, err)
	}
	made, err := classify.Open(path, classify.Options{})
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if c, err := d.Open(t.Context(), false); c == nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
}

// A database whose file was handed over is in use until it is given back, and no longer.
func TestHeldWhileAway(t *testing.T) {
	t.Parallel()
	d, _ := database(t)
	if _, err := d.Open(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	giveBack, err := d.HandOver(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := d.HandOver(ended); err == nil {
		t.Error("it was handed over twice")
	}
	if d.CloseIdle() {
		t.Error("it makes room while another process has its file")
	}
	giveBack()
	if !d.CloseIdle() {
		t.Error("it does not make room for others")
	}
}
