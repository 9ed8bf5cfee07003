package learning

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
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
}
