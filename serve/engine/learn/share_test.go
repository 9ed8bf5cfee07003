package learn

import (
	"testing"
	"time"

	"github.com/polya-classifier/polya/store/count"
)

// TestAutoMay holds how many documents of a class are learned automatically: none before
// people have taught enough documents of it and of another class, and then no more than
// Slack above the share that people taught.
func TestAutoMay(t *testing.T) {
	t.Parallel()
	o := &Auto{People: 50, Slack: 10}
	for _, test := range []struct {
		ham, spam, work uint64 // all documents
		auto            map[string]int
		class           string
		want            bool
	}{
		{50, 50, 0, nil, "ham", true},
		{50, 49, 0, nil, "ham", false},
		{1000, 0, 0, nil, "ham", false},
		{60, 60, 49, nil, "work", false},
		{60, 60, 50, nil, "work", true},
		{60, 60, 0, map[string]int{"spam": 11}, "ham", false}, // people taught 49 of spam
		{60, 60, 0, map[string]int{"spam": 10}, "ham", true},
		{100, 119, 0, map[string]int{"spam": 19}, "spam", true},  // 20 ≤ 20/2 + 10
		{100, 120, 0, map[string]int{"spam": 20}, "spam", false}, // 21 > 21/2 + 10
		{100, 100, 0, nil, "news", false},
	} {
		n := &autoCounts{auto: make(map[string]int)}
		for class, k := range test.auto {
			n.add(class, k)
		}
		classes := []*count.Class{{Name: "ham", Docs: test.ham}, {Name: "spam", Docs: test.spam}, {Name: "work", Docs: test.work}}
		if got := n.may(o, classes, test.class); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// A count of a ledger that others change, too, is good for ten times as long as it took.
func TestAutoStale(t *testing.T) {
	t.Parallel()
	ago := time.Now().Add(-time.Minute)
	for n, want := range map[*autoCounts]bool{nil: false, {at: ago, took: time.Second}: true, {at: ago, took: time.Hour}: false} {
		if n.stale() != want {
			t.Errorf("%+v: %v", n, !want)
		}
	}
}
