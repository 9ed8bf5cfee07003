package learn

import (
	"errors"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
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

// What was learned automatically is counted anew after a training that failed, and after other work on the database.
func TestAutoCountedAnew(t *testing.T) {
	t.Parallel()
	d, _ := database(t)
	learn := func(id, class string, o *Auto, do func(*classify.Classifier) error) error {
		doc := classify.Document{ID: classify.ContentID([]byte(id)), Bag: new(tokenize.Bag), Source: backend.AutoSource}
		doc.Bag.Add([]byte("prize"))
		if o == nil {
			doc.Source = "test"
		}
		training := &Training{Doc: doc, Class: class, Share: o, Do: do}
		d.Learn(training, func() {})
		return training.Wait(t.Context())
	}
	o := &Auto{Slack: 5}
	counted := func() int {
		if err := learn("by itself", "spam", o, nil); err != nil { // nothing, from the second time on
			t.Error(err)
		}
		return d.auto.all
	}
	for _, class := range []string{"spam", "ham"} {
		if err := learn(class, class, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := counted(); n != 1 {
		t.Errorf("one was learned automatically, not %d", n)
	}
	if err := learn("refused", "no\nclass", o, nil); err == nil || d.auto != nil {
		t.Errorf("%v; and it goes on with %+v", err, d.auto)
	}
	if n := counted(); n != 1 {
		t.Errorf("one was learned automatically and one refused, not %d", n)
	}
	err := learn("", "", nil, func(c *classify.Classifier) error {
		_, err := c.Undo(t.Context(), classify.Query{Source: new(backend.AutoSource)}, false)
		return err
	})
	if err != nil || d.auto != nil {
		t.Errorf("%v; and it goes on with %+v", err, d.auto)
	}
}

// A document that is refused keeps no other from being learned that waits beside it.
func TestRefusedBesideOthers(t *testing.T) {
	t.Parallel()
	d, _ := database(t)
	if _, err := d.Open(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	busy := make(chan struct{})
	d.Learn(&Training{Do: func(*classify.Classifier) error { <-busy; return nil }}, func() {})
	var all []*Training
	for i, class := range []string{"ham", "no\nclass", "spam", "no\tclass", "ham"} {
		doc := classify.Document{ID: classify.ContentID([]byte{byte(i)}), Bag: new(tokenize.Bag), Source: "test"}
		doc.Bag.Add([]byte("prize"))
		all = append(all, &Training{Doc: doc, Class: class})
		d.Learn(all[i], func() {})
	}
	close(busy)
	for _, training := range all {
		err, bad := training.Wait(t.Context()), count.CheckClass(training.Class) != nil
		if bad != errors.Is(err, backend.ErrRefused) || !bad && (err != nil || training.Outcome != backend.Learned) {
			t.Errorf("%q: %s, %v", training.Class, training.Outcome, err)
		}
	}
}
