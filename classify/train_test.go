package classify

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/store"
)

// A training that another keeps from the file waits for it once, though it asks before it learns.
func TestTrainingWaitsOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	wait := 700 * time.Millisecond
	c := openTest(t, path, Options{Store: store.Options{Share: true, Timeout: wait}})
	train(t, c, "ham", "one two")
	reader, err := store.Open(path, store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var waited time.Duration
	for range 2 { // the first has the file open, and gives it up
		start := time.Now()
		if _, err := c.Train(t.Context(), "spam", c.Document([]byte("three"))); !errors.Is(err, store.ErrInUse) {
			t.Errorf("%v, want %v", err, store.ErrInUse)
		}
		waited = time.Since(start)
	}
	if waited > wait*19/10 {
		t.Errorf("it has waited %v, with a Timeout of %v", waited, wait)
	}
}
