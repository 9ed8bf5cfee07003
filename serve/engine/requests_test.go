package engine

import (
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

// What was not looked at is told of in the answer, and can be learned.
func TestTruncated(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	for i, text := range []string{"plum cake", "buy pills", "plum jam", "buy watches"} {
		r := backend.Request{Message: []byte("Subject: one\n\n" + text + "\n"), Cut: i%2 == 1}
		if _, err := e.Learn(t.Context(), r, []string{"ham", "spam"}[i%2]); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		request   backend.Request
		truncated bool
	}{
		{backend.Request{Message: []byte("Subject: two\n\nplum buy\n")}, false},
		{backend.Request{Message: []byte("Subject: two\n\nplum buy\n"), Cut: true}, true},
		{backend.Request{Message: []byte("Subject: two\n\nplum buy\n" + strings.Repeat("plum buy\n", 150_000))}, true},
	} {
		a, err := e.Classify(t.Context(), test.request, true)
		if err != nil {
			t.Fatal(err)
		}
		if a.Truncated != test.truncated || strings.HasSuffix(a.Field(), "; truncated") != test.truncated {
			t.Errorf("truncated: %v, field %q", a.Truncated, a.Field())
		}
		learned := false
		for _, r := range a.Reasons {
			learned = learned || r.Term == "limit:size"
		}
		if learned != test.request.Cut {
			t.Errorf("cut: %v, and in the reasons: %v", test.request.Cut, a.Reasons)
		}
	}
}

// Nobody teaches in the name of the engine, whose own lessons are told, and taken back, by their source.
func TestSourceOfPeople(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{})
	r := request("spam", 1)
	r.Source = backend.AutoSource
	teach(t, e, "spam", r, backend.Learned)
	if n := sources(t, e); n[[2]string{"spam", "people"}] != 1 {
		t.Errorf("learned from %v", n)
	}
}
