package statistics

import (
	"fmt"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store/count"
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

// A training of a database of very many classes does not compare each with each.
func TestIsNew(t *testing.T) {
	t.Parallel()
	var before []string
	for i := range 200_000 {
		before = append(before, fmt.Sprintf("%06d", i))
	}
	start := time.Now()
	for _, name := range before {
		if isNew(&count.Class{Name: name}, before) || !isNew(&count.Class{Name: name + "a"}, before) {
			t.Fatalf("%s is among them, %sa is not", name, name)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%d classes took %v", len(before), took)
	}
	if isNew(&count.Class{Name: "a"}, nil) {
		t.Error("new where nothing is to be marked")
	}
}
