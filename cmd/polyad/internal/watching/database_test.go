package watching

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize/mail"
)

func database(t *testing.T, holds classify.Holds, made bool) *Database {
	path := filepath.Join(t.TempDir(), "x.polya")
	d := &Database{
		Source: "test", Classes: []string{"work", "spam", "inbox"}, Done: func() {},
		Read: func() (*classify.Classifier, error) {
			return classify.Open(path, classify.Options{Holds: classify.Either, Store: store.Options{ReadOnly: true, MustExist: true}})
		},
		Write: func() (*classify.Classifier, error) { return classify.Open(path, classify.Options{Holds: holds}) },
	}
	t.Cleanup(func() { d.Close() })
	if made {
		c, err := d.Write()
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
	}
	return d
}

func letterOf(n int, words string) []byte {
	return fmt.Appendf(nil, "Message-ID: <%d@x>\n\n%s number%d\n", n, words, n)
}

func lesson(n int, class string, forget bool) Lesson {
	raw := letterOf(n, class)
	return Lesson{raw, mail.ID(raw), class, forget}
}

// entry is what the ledger says of a message.
func entry(t *testing.T, d *Database, id count.DocID) (class, source string) {
	t.Helper()
	if _, err := d.Learned(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	err := d.asked.Store().View(func(s *store.Snapshot) error {
		e, err := s.Entry(id)
		if e != nil {
			class, source = e.Class, e.Source
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return class, source
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	for name, holds := range map[string]classify.Holds{"classes": classify.Classes, "tags": classify.Tags} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := database(t, holds, false)
			one, two := lesson(1, "work", false), lesson(2, "spam", false)
			if got, err := d.Learned(t.Context(), []count.DocID{one.ID}); err != nil || got[0] != (filing.Learned{}) {
				t.Errorf("without a database: %v, %v", got, err)
			}
			if a, err := d.Answer(t.Context(), one.Message); err != nil || !a.Unsure {
				t.Errorf("without a database: %v, %v", a, err)
			}
			moved := two
			moved.Class = "work"
			for _, lessons := range [][]Lesson{{one, two}, {one}, {moved}, {lesson(2, "spam", true)}} {
				if err := d.Teach(t.Context(), lessons); err != nil {
					t.Fatal(err)
				}
			}
			ids := []count.DocID{one.ID, two.ID, lesson(3, "work", false).ID}
			want := []filing.Learned{{Class: "work"}, {Class: "work"}, {}}
			if got, err := d.Learned(t.Context(), ids); err != nil || !slices.Equal(got, want) {
				t.Errorf("%v, %v, want %v: it is not spam, and so not forgotten", got, err, want)
			}
			moved.Forget = true
			if err := d.Teach(t.Context(), []Lesson{moved, lesson(9, "work", true)}); err != nil {
				t.Fatal(err)
			}
			want[1] = filing.Learned{}
			if got, err := d.Learned(t.Context(), ids); err != nil || !slices.Equal(got, want) {
				t.Errorf("after forgetting %v, %v, want %v", got, err, want)
			}
			if _, source := entry(t, d, one.ID); source != "test" {
				t.Errorf("the source is %q", source)
			}
			var many []Lesson
			for i := range 300 {
				many = append(many, lesson(100+i, []string{"work", "spam", "inbox"}[i%3], false))
			}
			if err := d.Teach(t.Context(), many); err != nil {
				t.Fatal(err)
			}
			e, err := d.Outlook(&filing.Folder{Class: "spam", Precision: .9})
			// Each message names its class.
			if err != nil || math.Round(e.Correct) != 100 || e.Filed < 100 || e.Filed > 101 || e.Belong != 100 || e.Sample < 290 {
				t.Errorf("outlook %+v, %v", e, err)
			}
			if junk, err := d.Outlook(&filing.Folder{Class: "spam", Precision: .9, Junk: true}); junk != e || err != nil {
				t.Errorf("outlook of junk, of which each is as sure as it can be, %+v, %v", junk, err)
			}
			write := d.Write
			d.Write = func() (*classify.Classifier, error) { return nil, errors.New("another process learns") }
			if err := d.Fit(t.Context()); err != nil {
				t.Errorf("what is fitted is opened to be changed: %v", err)
			}
			d.Write = write
			a, err := d.Answer(t.Context(), letterOf(999, "spam"))
			if err != nil || a.Class != "spam" || a.Unsure || a.Probability < .7 || a.Junk != (a.Probability >= junkProbability) {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// Where many answers about other folders are wrong however sure they are, no answer reaches the
// probability of junk: then it is asked for as that share of wrong answers leaves it.
func TestJunkAmongFolders(t *testing.T) {
	t.Parallel()
	for floor, want := range map[float64][2]float64{0: {math.Log(79) - 1e-9, math.Log(79) + 1e-9}, .1: {2.5, 3.2}} {
		k := &calibration.Calibration{Chosen: "m", Models: []calibration.Model{{Name: "m", Floor: floor}}}
		if got := junkOdds(k); got < want[0] || got > want[1] {
			t.Errorf("floor %g: %g, want %g", floor, got, want)
		}
	}
}

// In a database of tags a message keeps those that are of no folder.
func TestOtherTags(t *testing.T) {
	t.Parallel()
	d := database(t, classify.Tags, true)
	l := lesson(1, "work", false)
	set := func(tags ...string) string {
		name, err := count.TagSet(tags...)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	c, err := d.Write()
	if err != nil {
		t.Fatal(err)
	}
	var b classify.Batch
	if err := b.Train(set("family", "spam"), classify.Document{ID: l.ID, Bag: c.Document([]byte("x")).Bag}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	c.Close()
	for _, step := range []struct {
		lesson Lesson
		want   string
	}{{l, set("family", "work")}, {lesson(1, "work", true), set("family")}} {
		if err := d.Teach(t.Context(), []Lesson{step.lesson}); err != nil {
			t.Fatal(err)
		}
		if got, _ := entry(t, d, l.ID); got != step.want {
			t.Errorf("its tags are %q, want %q", got, step.want)
		}
	}
}

// A message of which the ledger has a digest, and that has another header now, is not forgotten, and
// keeps no other from being learned.
func TestOtherHeader(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.polya")
	o := classify.Options{Store: store.Options{Ledger: count.LedgerDigest}}
	d := &Database{Done: func() {}, Write: func() (*classify.Classifier, error) { return classify.Open(path, o) }}
	d.Read = d.Write
	defer func() { d.Close() }()
	one, other := lesson(1, "spam", false), lesson(2, "work", false)
	if err := d.Teach(t.Context(), []Lesson{one}); err != nil {
		t.Fatal(err)
	}
	one.Message, one.Forget = append([]byte("Subject: another\n"), one.Message...), true
	if err := d.Teach(t.Context(), []Lesson{one, other}); err != nil {
		t.Fatal(err)
	}
	want := []filing.Learned{{Class: "spam"}, {Class: "work"}}
	if got, err := d.Learned(t.Context(), []count.DocID{one.ID, other.ID}); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// Without a ledger nobody knows what was learned.
func TestNoLedger(t *testing.T) {
	t.Parallel()
	d := database(t, classify.Classes, false)
	path := filepath.Join(t.TempDir(), "y.polya")
	d.Write = func() (*classify.Classifier, error) {
		return classify.Open(path, classify.Options{Store: store.Options{Ledger: count.LedgerNone}})
	}
	if err := d.Teach(t.Context(), []Lesson{lesson(1, "work", false)}); err == nil {
		t.Error("it learns without a ledger")
	}
}

// A tag with too few messages for a threshold of its own is set where it is as probable as answers
// are to be right.
func TestFewTagged(t *testing.T) {
	t.Parallel()
	d := database(t, classify.Tags, true)
	d.Sets, d.Share = true, .95
	var few []Lesson
	for i := range 75 {
		few = append(few, lesson(i, []string{",work", ",spam", ","}[i%3], false))
	}
	if err := d.Teach(t.Context(), few[:15]); err != nil {
		t.Fatal(err)
	}
	if a, err := d.Answer(t.Context(), letterOf(999, ",spam")); err != nil || !a.Unsure {
		t.Errorf("before it is calibrated: %+v, %v", a, err)
	}
	if err := d.Teach(t.Context(), few[15:]); err != nil {
		t.Fatal(err)
	}
	if a, err := d.Answer(t.Context(), letterOf(999, ",spam")); err != nil || a.Class != ",spam" || a.Unsure || a.Probability < .95 {
		t.Errorf("%+v, %v", a, err)
	}
}

// What a daemon has learned by itself is told apart from what people have taught.
func TestLearnedByItself(t *testing.T) {
	t.Parallel()
	d := database(t, classify.Classes, true)
	var ids []count.DocID
	for i, source := range []string{backend.AutoSource, "people"} {
		d.Source = source
		l := lesson(i, "work", false)
		if err := d.Teach(t.Context(), []Lesson{l}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, l.ID)
	}
	got, err := d.Learned(t.Context(), ids)
	if want := []filing.Learned{{Class: "work", Auto: true}, {Class: "work"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
