package reading

import (
	"errors"
	"slices"
	"testing"
)

func TestInRowOrder(t *testing.T) {
	t.Parallel()
	var errs []error
	for _, text := range []string{"a.csv:10: x", "b: y", "a.csv:9: x", "c.csv:1: z", "and 2 more", "a.csv:2: x", "c.csv:x: z", "a.csv:9: w"} {
		errs = append(errs, errors.New(text))
	}
	var got []string
	for _, err := range InRowOrder(errs) {
		got = append(got, err.Error())
	}
	want := []string{"a.csv:2: x", "a.csv:9: x", "a.csv:9: w", "a.csv:10: x", "b: y", "c.csv:1: z", "and 2 more", "c.csv:x: z"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
