package classify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// hamAndSpam is a classifier of ham and spam that has learned some of each.
func hamAndSpam(t *testing.T, path string, o Options) *Classifier {
	t.Helper()
	o.Fitting = FitByHand
	c, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	r := rand.New(rand.NewPCG(3, 3))
	var b Batch // of which nothing is asked: there are no classes yet
	for i := range 60 {
		class := []string{"ham", "spam"}[i%2]
		if err := b.Train(class, c.Document([]byte(words(r, class, 8)+" "+words(r, "both", 8)))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return c
}

// words are n of forty words of a kind.
func words(r *rand.Rand, kind string, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%s%c%c ", kind, 'a'+r.IntN(5), 'a'+r.IntN(8))
	}
	return b.String()
}

// A training of one document sums lessons for its features, one of several sums them once for all.
func TestLessonsOfSeveral(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.polya")
	hamAndSpam(t, path, Options{}).Close()
	for n := 1; n <= 2; n++ {
		c := openTest(t, path, Options{Fitting: FitByHand})
		var b Batch
		for i := range n {
			if err := b.Train("spam", c.Document([]byte(fmt.Sprint("ham text ", n, i)))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if of := c.corrections.of; of == nil || of.Few != (n == 1) {
			t.Errorf("with %d documents: %+v", n, of)
		}
		c.Close()
	}
}

func learnText(t *testing.T, c *Classifier, class, text string) Document {
	t.Helper()
	doc := c.Document([]byte(text))
	if _, err := c.Train(t.Context(), class, doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func oddsOfSpam(t *testing.T, c *Classifier, text string) float64 {
	t.Helper()
	r, err := c.Classify(t.Context(), c.Document([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Posterior {
		if p.Class == "spam" {
			return p.LogOdds
		}
	}
	t.Fatalf("%+v", r)
	return 0
}

// notesOf returns the notes that c keeps, by document.
func notesOf(t *testing.T, c *Classifier) map[count.DocID]string {
	t.Helper()
	notes := make(map[count.DocID]string)
	err := c.Store().View(func(s *store.Snapshot) error {
		s.Notes(func(_ string, id count.DocID, class count.ClassID, text []byte) { notes[id] = fmt.Sprint(class, text) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return notes
}

// The spam of a new kind reads like ham. When one was taught, answers to near copies move at
// once by more than the counts alone move them; what was no surprise leaves no note; and
// forgetting the lesson takes all of it back.
func TestLearnAtOnce(t *testing.T) {
	t.Parallel()
	for _, keep := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		c := hamAndSpam(t, filepath.Join(t.TempDir(), "db"), Options{Store: store.Options{Ledger: keep}})
		before := notesOf(t, c)
		r := rand.New(rand.NewPCG(4, 4))
		spam := words(r, "ham", 6) + " new newer newest offer"
		near, far := spam+" today", words(r, "ham", 12)
		odds, other := oddsOfSpam(t, c, near), oddsOfSpam(t, c, far)
		doc := learnText(t, c, "spam", spam)
		after := oddsOfSpam(t, c, near)
		if _, noted := notesOf(t, c)[doc.ID]; !noted || after < odds+2 {
			t.Errorf("%s: log-odds %.2f, after a near copy was taught %.2f; noted %v", keep, odds, after, noted)
		}
		e, err := c.Explain(t.Context(), c.Document([]byte(near)))
		if err != nil {
			t.Fatal(err)
		}
		sum := e.Prior.LogOdds + e.Length.LogOdds + e.Recent.LogOdds - e.Spread
		for _, term := range e.Terms {
			sum += term.LogOdds
		}
		if d := sum - e.LogOdds; d > 1e-9 || d < -1e-9 || e.Recent.LogOdds == 0 {
			t.Errorf("%s: parts add up to %v, not %v: recent %+v", keep, sum, e.LogOdds, e.Recent)
		}
		ham := learnText(t, c, "ham", words(r, "ham", 12))
		if _, noted := notesOf(t, c)[ham.ID]; noted {
			t.Errorf("%s: a note about a document that was no surprise", keep)
		}
		var b Batch
		if keep == count.LedgerNone {
			for class, doc := range map[string]Document{"spam": doc, "ham": ham} {
				if err := b.Delta().Take(doc.Counted(class, nil)); err != nil {
					t.Fatal(err)
				}
			}
		} else if err := errorsOf(b.Forget(doc), b.Forget(ham)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if got := notesOf(t, c); !reflect.DeepEqual(got, before) {
			t.Errorf("%s: %d notes after forgetting, %d before", keep, len(got), len(before))
		}
		if a, b := oddsOfSpam(t, c, near), oddsOfSpam(t, c, far); a != odds || b != other {
			t.Errorf("%s: after forgetting %v, %v; before %v, %v", keep, a, b, odds, other)
		}
	}
}

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// A note follows its document: moved, it is dropped. A calibration that was asked for leaves
// none, and a training in bulk, a third class and a database that follows a log make none.
func TestNoLessons(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	surprise := func(c *Classifier) Document {
		return learnText(t, c, "spam", words(r, "ham", 10)+" new newer newest")
	}
	dir := t.TempDir()
	c := hamAndSpam(t, filepath.Join(dir, "moved"), Options{})
	doc := surprise(c)
	if _, noted := notesOf(t, c)[doc.ID]; !noted {
		t.Fatal("no note")
	}
	if _, err := c.Relabel(t.Context(), "ham", doc); err != nil {
		t.Fatal(err)
	}
	if _, noted := notesOf(t, c)[doc.ID]; noted {
		t.Error("moved, the document keeps its note")
	}
	surprise(c)
	if _, err := c.Calibrate(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if n := len(notesOf(t, c)); n != 0 {
		t.Errorf("%d notes after calibrating", n)
	}

	var b Batch
	for range mostLessons + 1 {
		if err := b.Train("spam", c.Document([]byte(words(r, "ham", 10)))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if n := len(notesOf(t, c)); n != 0 {
		t.Errorf("%d notes of a training in bulk", n)
	}

	learnText(t, c, "third", "something else")
	surprise(c)
	if n := len(notesOf(t, c)); n != 0 {
		t.Errorf("%d notes with three classes", n)
	}
}

// Lessons go with a calibration of few documents. One of many takes back those of documents that
// it answers rightly without them.
func TestLessonsGo(t *testing.T) {
	t.Parallel()
	c, r := hamAndSpam(t, filepath.Join(t.TempDir(), "db"), Options{}), rand.New(rand.NewPCG(7, 7))
	more := func(n int) {
		t.Helper()
		var b Batch
		for k := range n {
			class := []string{"ham", "spam"}[k%2]
			if err := b.Train(class, c.Document([]byte(words(r, class, 2)+words(r, "both", 12)))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if err := c.Refit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	learnText(t, c, "spam", words(r, "ham", 10))
	if more(mostLessons + 1); len(notesOf(t, c)) != 0 {
		t.Error("a calibration of few documents leaves lessons")
	}
	more(smallFit)
	contrary := learnText(t, c, "spam", words(r, "ham", 10))
	doubtful := contrary
	for i := 0; doubtful.ID == contrary.ID; i++ {
		text := words(r, "spam", 2) + words(r, "ham", 1) + words(r, "both", 10)
		if odds := oddsOfSpam(t, c, text); i == 200 {
			t.Fatal("no lesson of a doubtful document")
		} else if odds < .5 || odds > 2 {
			continue
		}
		if doc := learnText(t, c, "spam", text); notesOf(t, c)[doc.ID] != "" {
			doubtful = doc
		}
	}
	if more(smallFit); notesOf(t, c)[contrary.ID] == "" || notesOf(t, c)[doubtful.ID] != "" {
		t.Errorf("lessons left: %v", len(notesOf(t, c)))
	}
}

// Who teaches one class after the other, message by message, gets the answers of who teaches all
// at once and calibrates.
func TestOneClassAfterTheOther(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	const few, many = 60, smallFit/2 + 50
	for n, classes := range map[int][]string{few: {"ham", "spam"}, few + 1: {"spam", "ham"}, many: {"ham", "spam"}, many + 1: {"spam", "ham"}} {
		if testing.Short() && n == many+1 {
			continue
		}
		c, err := Open(filepath.Join(t.TempDir(), "db"), Options{Fitting: FitByHand, Decision: decision.Filter{Positive: "spam"}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		r := rand.New(rand.NewPCG(9, 9))
		text := func(class string) string { return words(r, class, 2) + words(r, "both", 12) }
		for _, class := range classes {
			for range n {
				learnText(t, c, class, text(class))
				if err := c.RefitAfter(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		var asked []Document
		for i := range 200 {
			asked = append(asked, c.Document([]byte(text([]string{"ham", "spam"}[i%2]))))
		}
		sure := func() (n int) {
			for _, doc := range asked {
				if r, err := c.Classify(t.Context(), doc); err != nil {
					t.Fatal(err)
				} else if !r.Unsure {
					n++
				}
			}
			return n
		}
		single := sure()
		calibrated(t, c)
		if all := sure(); single < all-15 {
			t.Errorf("%d of %v: %d sure answers one at a time, %d calibrated", n, classes, single, all)
		}
	}
}

// Followers of one log are equal whether their documents are a surprise or not.
func TestFollowersHaveNoLessons(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	var dumps [2]map[count.DocID]string
	for k := range dumps {
		c := hamAndSpam(t, filepath.Join(t.TempDir(), "db"), Options{})
		if _, err := c.Calibrate(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if err := c.Store().Follow(store.Stream{Name: "log", Created: time.Unix(1, 0)}, 0); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(6, 6))
		for i := range 20 {
			var b Batch
			if err := b.Train("spam", c.Document([]byte(words(r, "ham", 10)))); err != nil {
				t.Fatal(err)
			}
			d, err := c.withLessons(&b)
			if err != nil {
				t.Fatal(err)
			}
			if k == 1 { // through the wire, as another follower gets it
				data, err := d.MarshalBinary()
				if err != nil || d.UnmarshalBinary(data) != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.ApplyLog(context.Background(), []store.Logged{{Delta: d, Position: uint64(i + 1)}}); err != nil {
				t.Fatal(err)
			}
		}
		dumps[k] = notesOf(t, c)
	}
	if len(dumps[0])+len(dumps[1]) != 0 {
		t.Errorf("%d and %d notes of followers", len(dumps[0]), len(dumps[1]))
	}
}

// A batch that several databases learn carries no lesson from one to another.
func TestLessonsStayInTheirDatabase(t *testing.T) {
	t.Parallel()
	taught := hamAndSpam(t, filepath.Join(t.TempDir(), "db"), Options{})
	empty := openTest(t, filepath.Join(t.TempDir(), "db"), Options{Fitting: FitByHand})
	r := rand.New(rand.NewPCG(8, 8))
	var b Batch
	for range 3 {
		if err := b.Train("spam", taught.Document([]byte(words(r, "ham", 10)))); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*Classifier{taught, empty} {
		if _, err := c.Apply(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(notesOf(t, taught)); n == 0 {
		t.Error("no lesson in the database that answered wrongly")
	}
	if n := len(notesOf(t, empty)); n != 0 {
		t.Errorf("%d lessons in the database that knew nothing", n)
	}
}
