package daemon

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/serve/internal/servetest"
	"github.com/polya-classifier/polya/store"
)

// Where the latest mail is of a kind that was not there before, metrics and log say so.
func TestUnlikeLatest(t *testing.T) {
	t.Parallel()
	for _, changed := range []bool{false, true} {
		var log bytes.Buffer
		e, err := engine.New(engine.Options{
			Path: filepath.Join(t.TempDir(), "polya.db"), FitAfter: time.Millisecond, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		ctx := context.Background()
		if _, err := e.Learn(ctx, backend.Request{Message: []byte("Subject: first\n\nthe database is made\n"), Source: "test"}, "ham"); err != nil {
			t.Fatal(err)
		}
		if err := e.Change(ctx, "", func(c *classify.Classifier) error { return learnDated(ctx, c, changed) }); err != nil {
			t.Fatal(err)
		}
		unlike := ""
		servetest.Until(t, "the gauge", func() bool {
			var all gauges
			err := e.Use(ctx, "", func(c *classify.Classifier) error { all.ofDatabase(c); return nil })
			_, unlike, _ = strings.Cut(all.String(), "\npolya_calibration_unlike ")
			return err == nil && unlike != ""
		})
		if strings.HasPrefix(unlike, "1\n") != changed {
			t.Errorf("changed %v: %s", changed, unlike)
		}
		if err := e.Close(); err != nil { // after the fit
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "unlike what was learned"); (n == 1) != changed {
			t.Errorf("changed %v, the log says so %d times:\n%s", changed, n, log.String())
		}
	}
}

// learnDated learns a message an hour. If they change, the words of the two classes are
// exchanged for the last fifth.
func learnDated(ctx context.Context, c *classify.Classifier, change bool) error {
	const n = 400
	r := rand.New(rand.NewPCG(5, 6))
	var b classify.Batch
	for i := range n {
		class, words := i%2, i%2
		if change && i >= n*4/5 && r.IntN(2) == 0 {
			words = 1 - class
		}
		text := fmt.Sprint("own", i)
		for range 12 {
			text += fmt.Sprintf(" w%d%s", r.IntN(30), []string{"", "abcd"[words*2 : words*2+2]}[r.IntN(2)])
		}
		doc := c.Document([]byte(text))
		doc.Time = time.Unix(1_700_000_000, 0).Add(time.Duration(i) * time.Hour)
		if err := b.Train([]string{"ham", "spam"}[class], doc); err != nil {
			return err
		}
	}
	_, err := c.Apply(ctx, &b)
	return err
}

// The position is a gauge of a database that follows a log, and of no other.
func TestPosition(t *testing.T) {
	t.Parallel()
	c, err := classify.Open(filepath.Join(t.TempDir(), "polya.db"), classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	position := func() string {
		var all gauges
		all.ofDatabase(c)
		_, position, _ := strings.Cut(all.String(), "\npolya_log_position ")
		return position
	}
	if p := position(); p != "" {
		t.Errorf("without a log the position is %s", p)
	}
	if err := c.Store().Follow(store.Stream{Name: "log", Created: time.Unix(1, 0)}, 7); err != nil {
		t.Fatal(err)
	}
	if p := position(); !strings.HasPrefix(p, "7\n") {
		t.Errorf("the position is %q", p)
	}
}
