package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
)

// sampleCorpus returns a corpus of so many documents of each class; every third is for
// asking if test is set. The words of a class are its own with some noise.
func sampleCorpus(docs int, test bool, classes ...string) *Corpus {
	random := rand.New(rand.NewPCG(1, 2))
	c := new(Corpus)
	for i := range docs {
		for k, class := range classes {
			var words []string
			for range 3 + random.IntN(12) {
				words = append(words, fmt.Sprintf("w%d", int(random.ExpFloat64()*6)+4*k))
			}
			words = append(words, fmt.Sprintf("only%s%d", class, i))
			add(c, class, fmt.Sprintf("%s/%d", class, i), test && i%3 == 0, words...)
		}
	}
	return c
}

func options() Options {
	var all []classify.Model
	for _, m := range model.Models() {
		all = append(all, m)
	}
	return Options{Models: all, Folds: 3, Seed: 1}
}

// watchTemp returns a check that nothing is left in the folder for temporary files.
func watchTemp(t *testing.T) func() {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return func() {
		t.Helper()
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left in %s: %v, %v", dir, left, err)
		}
	}
}

// The answers equal those of a Classifier that learned the same documents.
func TestHeldOutIsTrainAndClassify(t *testing.T) {
	check := watchTemp(t)
	c := sampleCorpus(30, true, "a", "b", "c")
	r, err := HeldOut(context.Background(), c, options())
	if err != nil {
		t.Fatal(err)
	}
	check()
	train, test := c.split(func(i int) bool { return c.Docs[i].Test })
	for m, model := range model.Models() {
		k, err := classify.Open(filepath.Join(t.TempDir(), "db"), classify.Options{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		var bag tokenize.Bag
		var b classify.Batch
		for _, i := range train {
			if err := b.Train(c.Classes[c.Docs[i].Class], c.document(&bag, i)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := k.Apply(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		if err := k.Refit(context.Background()); err != nil {
			t.Fatal(err)
		}
		right := 0
		for n, i := range test {
			want, err := k.Classify(context.Background(), c.document(&bag, i))
			if err != nil {
				t.Fatal(err)
			}
			got := r.Models[m].Results.Answers[n]
			if got.ID != c.Docs[i].Path || c.Classes[got.Said] != want.Class || got.Unsure != want.Unsure {
				t.Errorf("%s says of %s %s, unsure %v, want %s, unsure %v",
					model.Name(), got.ID, c.Classes[got.Said], got.Unsure, want.Class, want.Unsure)
			}
			for _, p := range want.Posterior {
				near(t, "probability", got.Posterior[slices.Index(c.Classes, p.Class)], p.Probability, 1e-12)
			}
			if want.Class == c.Classes[c.Docs[i].Class] {
				right++
			}
		}
		near(t, "accuracy", float64(r.Models[m].Accuracy.Value), float64(right)/float64(len(test)), 1e-15)
		k.Close()
	}
}

// Every document is asked about once, by a classifier that did not learn it: the word
// that only it has says nothing.
func TestFolds(t *testing.T) {
	check := watchTemp(t)
	c := sampleCorpus(20, false, "a", "b")
	o := options()
	o.Baseline = shares{}
	r, err := Folds(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	check()
	for _, m := range r.Models {
		var ids []string
		for _, a := range m.Results.Answers {
			ids = append(ids, a.ID)
		}
		slices.Sort(ids)
		if len(ids) != 40 || len(slices.Compact(ids)) != 40 {
			t.Errorf("%s: %d answers, %d documents", m.Name, len(m.Results.Answers), len(slices.Compact(ids)))
		}
	}
	n := len(o.Models)
	if last := r.Models[n]; last.Name != "shares" || last.Variance <= 0 || len(r.Comparisons) != n {
		t.Errorf("the baseline is %q with variance %v, %d comparisons", last.Name, last.Variance, len(r.Comparisons))
	}
	if _, err := Folds(context.Background(), sampleCorpus(1, false, "a", "b"), o); err == nil {
		t.Error("no error for fewer documents than folds")
	}
}

// The second answer is that of a database with the first document, and so on.
func TestPrequential(t *testing.T) {
	check := watchTemp(t)
	c := sampleCorpus(8, false, "a", "b")
	// A copy, and a copy of another class, which moves what was learned.
	add(c, "a", "x/1", false, "again")
	add(c, "a", "x/2", false, "again")
	add(c, "b", "x/3", false, "again")
	c.shuffle(3)
	o := options()
	o.Models = o.Models[:1]
	r, err := Prequential(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	check()
	if r.Skipped != 1 || r.Tested != len(c.Docs)-1 || r.Copies != 2 {
		t.Errorf("%d skipped, %d tested, %d copies", r.Skipped, r.Tested, r.Copies)
	}
	db, err := classify.Open(filepath.Join(t.TempDir(), "db"), classify.Options{Model: o.Models[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var bag tokenize.Bag
	for i := range c.Docs {
		doc := c.document(&bag, i)
		if i > 0 {
			want, err := db.Classify(context.Background(), doc)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Models[0].Results.Answers[i-1]
			near(t, c.Docs[i].Path, got.Posterior[got.Said], want.Probability, 1e-12)
		}
		if _, err := db.Train(context.Background(), c.Classes[c.Docs[i].Class], doc); err != nil {
			t.Fatal(err)
		}
	}
	last := r.Curve[len(r.Curve)-1]
	if last.Docs != r.Tested {
		t.Fatalf("the curve ends at %d", last.Docs)
	}
	near(t, "end of the curve", float64(last.Models[0].Accuracy), float64(r.Models[0].Accuracy.Value), 1e-12)
	near(t, "end of the curve", float64(last.Models[0].LogLoss), float64(r.Models[0].LogLoss.Value), 1e-12)
}

// The last point of a learning curve is the test after all documents, whatever was
// learned in between.
func TestCurve(t *testing.T) {
	check := watchTemp(t)
	o := options()
	o.Curve, o.Baseline = true, shares{}
	r, err := HeldOut(context.Background(), sampleCorpus(120, true, "a", "b"), o)
	if err != nil {
		t.Fatal(err)
	}
	check()
	var docs []int
	for _, p := range r.Curve {
		docs = append(docs, p.Docs)
	}
	if !slices.Equal(docs, []int{20, 43, 93, 160}) {
		t.Errorf("points at %v", docs)
	}
	for i, v := range r.Curve[len(docs)-1].Models {
		m := r.Models[i]
		tolerance := 1e-9
		if m.Name == "dcm" {
			tolerance = 1e-4 // fits that are not due yet stay
		}
		near(t, m.Name+": accuracy", float64(v.Accuracy), float64(m.Accuracy.Value), 1e-12)
		near(t, m.Name+": log loss", float64(v.LogLoss), float64(m.LogLoss.Value), tolerance)
	}
}

func TestReportIsDeterministic(t *testing.T) {
	var first []byte
	for jobs := range 3 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(jobs + 1))
		o := options()
		o.Baseline = shares{}
		r, err := HeldOut(context.Background(), sampleCorpus(40, true, "spam", "ham"), o)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if jobs > 0 && string(line) != string(first) {
			t.Errorf("with %d jobs:\n%s\nwith one:\n%s", jobs+1, line, first)
		}
		if jobs == 0 {
			first = line
		}
	}
	var back struct {
		Positive string
		Models   []struct{ Positive struct{ Missed []any } }
	}
	if err := json.Unmarshal(first, &back); err != nil || back.Positive != "spam" || len(back.Models[0].Positive.Missed) != 2 {
		t.Errorf("%v: %+v", err, back)
	}
}

// Numbers that there are not are null, and what is odd is said.
func TestOddCorpora(t *testing.T) {
	c := sampleCorpus(10, true, "a")
	add(c, "new", "new/1", true, "w1")
	add(c, "a", "a/dup", true, "w1", "w2")
	add(c, "a", "a/dup2", false, "w1", "w2")
	add(c, "empty", "empty/1", false)
	o := options()
	o.Baseline = shares{}
	r, err := HeldOut(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{
		"class new was not learned, so that 1 document cannot be told", "class empty was not asked about",
		"1 of the documents asked about were learned too",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note %q in\n%s", want, notes)
		}
	}
	for _, m := range r.Models {
		if math.IsInf(float64(m.LogLoss.Value), 0) {
			t.Errorf("%s: infinite log loss", m.Name)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	alone, err := HeldOut(context.Background(), sampleCorpus(6, true, "a"), o)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := json.Marshal(alone); err != nil || !strings.Contains(string(line), `"one_minus_roca_percent":null`) {
		t.Errorf("one class: %v\n%s", err, line)
	}
}

// An evaluation ends with its context, whatever it does at that moment.
func TestInterrupted(t *testing.T) {
	for _, stage := range []string{"learning", "asking", "fitting", "fitting shares", "intervals"} {
		check := watchTemp(t)
		ctx, cancel := context.WithCancel(context.Background())
		o := options()
		o.Baseline, o.Curve = shares{}, true
		o.Progress = func(name string, _ int64) *terminal.Bar {
			if name == stage {
				cancel()
			}
			return nil
		}
		if _, err := HeldOut(ctx, sampleCorpus(60, true, "a", "b"), o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", stage, err)
		}
		check()
	}
}
