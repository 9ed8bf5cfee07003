package statistics

import (
	"testing"

	"github.com/polya-classifier/polya/classify"
)

// A training that has succeeded ends with no advice about who else uses the database.
func TestNowUnread(t *testing.T) {
	t.Parallel()
	c, err := classify.OpenMemory(nil, classify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := Now(c.Store(), nil), "it cannot be read at this moment; 'polya info' says what it holds"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
