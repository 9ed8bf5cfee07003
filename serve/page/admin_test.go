package page

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/classify/tags"
	"github.com/polya-classifier/polya/serve/backend"
	ring "github.com/polya-classifier/polya/serve/decisions"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
)

var ctx = context.Background()

// admin is an Admin with n messages of each of some topics learned by "test".
func admin(t *testing.T, n int, topics map[string]string) (*Admin, *engine.Engine) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mail.polya")
	if n > 0 {
		c, err := classify.Open(path, classify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for class, topic := range topics {
				doc := mail.Document(c, letter(topic, i))
				doc.Source = "test"
				if _, err := c.Train(ctx, class, doc); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.New(engine.Options{Path: path, Decisions: &ring.Options{}, FitAfter: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return New(e), e
}

var two = map[string]string{"spam": "casino jackpot", "ham": "meeting minutes"}

func letter(topic string, n int) []byte {
	return fmt.Appendf(nil, "From: ann%d@example.org\r\nSubject: %s %d\r\nMessage-ID: <%x.%d@example.org>\r\n\r\nThe %s is at number %d.\r\n", n, topic, n, topic, n, topic, n)
}

func askAbout(t *testing.T, e *engine.Engine, message []byte) {
	t.Helper()
	if _, err := e.Classify(ctx, backend.Request{Message: message, Source: "milter"}, false); err != nil {
		t.Fatal(err)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// Errors are the sure answers that somebody taught otherwise, with Wilson's interval; the figures
// for 2 of 10 are those of R's prop.test(2, 10, correct = FALSE).
func TestRecord(t *testing.T) {
	t.Parallel()
	d, e := admin(t, 20, two)
	if r, err := d.record(ctx, "", time.Time{}); err != nil || r.Answers != 0 || !r.Since.IsZero() || !math.IsNaN(r.Error.Mean) {
		t.Errorf("without answers: %+v, %v", r, err)
	}
	for i := range 10 {
		askAbout(t, e, letter(two["spam"], 100+i))
	}
	list := d.Decisions("", 100)
	if len(list) != 10 {
		t.Fatalf("%d decisions", len(list))
	}
	var some []backend.Revision
	for _, x := range list[:3] {
		some = append(some, backend.Revision{ID: x.ID, Class: "ham"})
	}
	some[2].Class = "spam"
	if _, err := d.Revise(ctx, "", some, "page"); err != nil {
		t.Fatal(err)
	}
	askAbout(t, e, letter(two["spam"], 109)) // again: the first answer counts
	r, err := d.record(ctx, "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Answers != 10 || r.Checked != 3 || r.Wrong != 2 || r.Unsure != 0 || !r.Since.Equal(list[9].Time) {
		t.Errorf("%+v", r)
	}
	if !near(r.Error.Mean, .2) || math.Abs(r.Error.Low-.0566822) > 1e-5 || math.Abs(r.Error.High-.5098375) > 1e-5 {
		t.Errorf("error %+v", r.Error)
	}
	if r, err := d.record(ctx, "", time.Now().Add(time.Hour)); err != nil || r.Answers != 0 {
		t.Errorf("since tomorrow: %+v, %v", r, err)
	}
}

// What is asked about first is what is unsure, then what is close; what is taught is not asked.
func TestReview(t *testing.T) {
	t.Parallel()
	d, e := admin(t, 12, two)
	askAbout(t, e, letter(two["spam"], 100))
	askAbout(t, e, letter("casino jackpot meeting minutes", 101))
	askAbout(t, e, letter("casino jackpot meeting", 102))
	list, all, err := d.review(ctx, "", 2)
	if err != nil || all != 3 || len(list) != 2 {
		t.Fatalf("%d of %d, %v", len(list), all, err)
	}
	uncertain := func(k engine.Kept) (bool, float64) { return !k.Now.Unsure, k.Now.Posterior[0] }
	for i, k := range list {
		if k.Subject == "casino jackpot 100" || len(k.Now.Reasons) == 0 {
			t.Errorf("asked about %q with %d reasons", k.Subject, len(k.Now.Reasons))
		}
		if i > 0 {
			sure0, p0 := uncertain(list[i-1])
			sure1, p1 := uncertain(k)
			if sure0 && !sure1 || sure0 == sure1 && p0 > p1 {
				t.Errorf("%q with %v comes behind %q with %v", k.Subject, p1, list[i-1].Subject, p0)
			}
		}
	}
	if _, err := d.Revise(ctx, "", []backend.Revision{{ID: list[0].ID, Class: "ham"}}, "page"); err != nil {
		t.Fatal(err)
	}
	if again, all, err := d.review(ctx, "", 5); err != nil || all != 2 || slices.ContainsFunc(again, func(k engine.Kept) bool { return k.ID == list[0].ID }) {
		t.Errorf("%d of %d, %v", len(again), all, err)
	}
}

// The parts of what is said of a message agree with each other and with what was counted.
func TestKept(t *testing.T) {
	t.Parallel()
	d, e := admin(t, 12, two)
	askAbout(t, e, letter(two["spam"], 100))
	list := d.Decisions("", 1)
	k, err := d.kept(ctx, "", list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if k.Class != "spam" || k.Now.Class != "spam" || k.Learned != nil || !slices.Equal(k.Now.Classes, []string{"spam", "ham"}) || !slices.Equal(k.Now.Documents, []uint64{12, 12}) {
		t.Errorf("%+v", k)
	}
	sum := 0.0
	for _, p := range k.Now.Posterior {
		sum += p
	}
	if !near(sum, 1) || k.Now.Posterior[0] != k.Now.Probability {
		t.Errorf("posterior %v, probability %v", k.Now.Posterior, k.Now.Probability)
	}
	for i, r := range k.Now.Reasons {
		if r.Term == "casino" && (!slices.Equal(k.Now.Having[i], []uint64{12, 0}) || r.Bits <= 0 || r.Count != 2) {
			t.Errorf("casino: %v documents, %+v", k.Now.Having[i], r)
		}
	}
	if _, err := d.kept(ctx, "", "00000000000000000000000000000000"); !errors.Is(err, backend.ErrDecision) {
		t.Errorf("no such decision: %v", err)
	}
	back, err := d.Revise(ctx, "", []backend.Revision{{ID: k.ID, Class: "ham"}}, "page")
	if err != nil || back[0] != (backend.Revised{Outcome: backend.Learned}) {
		t.Errorf("%+v, %v", back, err)
	}
	if k, err = d.kept(ctx, "", k.ID); err != nil || k.Learned == nil || k.Learned.Class != "ham" || k.Learned.Source != "page" {
		t.Errorf("%+v, %v", k.Learned, err)
	}
	back, err = d.Revise(ctx, "", []backend.Revision{{ID: k.ID, Class: "spam"}}, "page")
	if err != nil || back[0] != (backend.Revised{Outcome: backend.Moved, From: "ham"}) {
		t.Errorf("%+v, %v", back, err)
	}
	back, err = d.Revise(ctx, "", []backend.Revision{{ID: k.ID}}, "page")
	if err != nil || back[0] != (backend.Revised{Outcome: backend.Forgotten, From: "spam"}) {
		t.Errorf("%+v, %v", back, err)
	}
}

// The ledger is listed from the newest to the oldest, a part at a time.
func TestLedger(t *testing.T) {
	t.Parallel()
	d, _ := admin(t, 10, two)
	all, err := d.ledger(ctx, "", classify.Query{}, false, 0, 100)
	if err != nil || all.All != 20 || len(all.Entries) != 20 || all.Sources["test"] != 20 {
		t.Fatalf("%+v, %v", all, err)
	}
	if !slices.IsSortedFunc(all.Entries, func(a, b backend.Entry) int { return b.Time.Compare(a.Time) }) {
		t.Error("the newest are not first")
	}
	part, err := d.ledger(ctx, "", classify.Query{}, false, 7, 5)
	if err != nil || !reflect.DeepEqual(part.Entries, all.Entries[7:12]) {
		t.Errorf("%+v, %v", part, err)
	}
	if some, err := d.ledger(ctx, "", classify.Query{Class: "spam", Source: new("test")}, false, 0, 3); err != nil || some.All != 10 || len(some.Entries) != 3 {
		t.Errorf("%+v, %v", some, err)
	}
	if none, err := d.ledger(ctx, "", classify.Query{Since: time.Now().Add(time.Hour)}, false, 0, 3); err != nil || none.All != 0 || none.Sources["test"] != 20 {
		t.Errorf("%+v, %v", none, err)
	}
}

// Two classes without a common word are told apart.
func TestMeasure(t *testing.T) {
	t.Parallel()
	d, e := admin(t, 0, nil)
	if m, err := d.measure(ctx, ""); err != nil || m.Documents != 0 {
		t.Errorf("without a database: %+v, %v", m, err)
	}
	for i := range 40 {
		for class, topic := range two {
			if _, err := e.Learn(ctx, backend.Request{Message: letter(topic, i)}, class); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, err := d.measure(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if m.Documents != 80 || m.Error.Mean != 0 || m.Error.High > .05 || m.Confusion.Counts[0][0] != 40 || m.Confusion.Counts[1][1] != 40 {
		t.Errorf("%+v", m)
	}
	docs := 0
	for _, b := range m.Reliability {
		docs += b.Docs
	}
	if docs != 80 {
		t.Errorf("%d documents in bins", docs)
	}
}

// A class that lacks documents says how many; those of the configuration keep their names.
func TestClasses(t *testing.T) {
	t.Parallel()
	d, _ := admin(t, 4, map[string]string{"spam": "casino", "news": "harvest"})
	h, err := d.Statistics(ctx, "")
	if err != nil || h.Documents != 8 || len(h.Classes) != 3 {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, c := range h.Classes {
		docs := uint64(4)
		if c.Name == "ham" {
			docs = 0
		}
		if c.Documents != docs || c.Needs != 10-docs || c.Fixed != (c.Name != "news") || c.Last.IsZero() != (docs == 0) {
			t.Errorf("%+v", c)
		}
	}
	rename := func(class, name string) error {
		return d.change(ctx, "", class, true, func(db *store.DB) error { return tags.RenameClass(ctx, db, class, name) })
	}
	merge := func(class, into string) error {
		return d.change(ctx, "", class, true, func(db *store.DB) error { return tags.MergeClass(ctx, db, class, into) })
	}
	for err, want := range map[error]error{
		rename("spam", "junk"): backend.ErrFixed, merge("spam", "news"): backend.ErrFixed,
		rename("nothing", "x"): backend.ErrClass, rename("news", "spam"): backend.ErrClassExists,
		rename("news", "a\nb"): backend.ErrClassName,
	} {
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if err := rename("news", "press"); err != nil {
		t.Error(err)
	}
	if err := merge("press", "spam"); err != nil {
		t.Error(err)
	}
	if err := d.change(ctx, "", "spam", false, func(db *store.DB) error { return tags.DeleteClass(ctx, db, "spam") }); err != nil {
		t.Error(err)
	}
	if h, err := d.Statistics(ctx, ""); err != nil || h.Documents != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}
