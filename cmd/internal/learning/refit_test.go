package learning

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/statistics"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store"
)

// Ctrl-C at the end of a training keeps what was learned, says so, and leaves to the
// next training what it kept from being done.
func TestRefitInterrupted(t *testing.T) {
	t.Parallel()
	c, err := classify.Open(filepath.Join(t.TempDir(), "refit.polya"), classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var b classify.Batch
	for i := range 20 {
		if err := b.Train([]string{"ham", "spam"}[i%2], c.Document(fmt.Appendf(nil, "some words, number%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	// By the store alone, as a dump is loaded: a Classifier would calibrate.
	if _, err := c.Store().Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	quiet := &terminal.Streams{Quiet: true}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Refit(ctx, quiet, c); err == nil || !strings.HasPrefix(err.Error(), "interrupted: all is learned and kept") {
		t.Errorf("interrupted: %v", err)
	}
	if k, err := c.Calibration(); k != nil || err != nil {
		t.Errorf("calibrated all the same: %v, %v", k, err)
	}
	if err := Refit(context.Background(), quiet, c); err != nil {
		t.Fatal(err)
	}
	if k, err := c.Calibration(); k == nil || err != nil || k.Documents != 20 {
		t.Errorf("not calibrated: %v, %v", k, err)
	}
	c.Close()
	if err := Refit(context.Background(), quiet, c); !errors.Is(err, store.ErrClosed) || !strings.HasPrefix(err.Error(), "all is learned and kept, but") {
		t.Errorf("failed: %v", err)
	}
}

// Others that have the database when models are to be fitted take nothing back of what was learned.
func TestRefitInUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "refit.polya")
	open := func(share bool, wait time.Duration) *classify.Classifier {
		c, err := classify.Open(path, classify.Options{Store: store.Options{Share: share, Timeout: wait}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	c := open(true, time.Millisecond)
	var b classify.Batch
	for i := range 20 {
		if err := b.Train([]string{"ham", "spam"}[i%2], c.Document(fmt.Appendf(nil, "some words, number%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	applied, err := c.Store().Apply(b.Delta())
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	to := &terminal.Streams{Stdout: &said, Stderr: &said}
	open(false, time.Minute)
	if err := Refit(context.Background(), to, c); err != nil {
		t.Errorf("in use: %v", err)
	}
	statistics.Learned(to, c.Store(), applied, nil)
	if !strings.Contains(said.String(), "in use by others: all is learned and kept") || strings.Contains(said.String(), "it holds no documents") {
		t.Error(said.String())
	}
}
