package classify

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/store"
)

// A rate is refused where it is never known.
func TestRateRefused(t *testing.T) {
	t.Parallel()
	d := decision.FalsePositiveRate{Positive: "z", Rate: .1}
	for what, o := range map[string]Options{
		"raw": {Raw: true},
	} {
		o.Decision = d
		if _, err := Open(filepath.Join(t.TempDir(), "test.polya"), o); err == nil {
			t.Errorf("%s: a rate was accepted", what)
		}
	}
	c := taught(t, 60, Options{Decision: d})
	doc := c.Document([]byte("m1 z1"))
	answersOf(t, c, doc, Auto{}, model.Multinomial{})
}

// A question about a class that the database does not have is an error, and about one whose
// documents are all forgotten the answer is unsure. An empty database says that it is.
func TestRateOfNoClass(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Decision: decision.FalsePositiveRate{Positive: "spma", Rate: .1}})
	if _, err := c.Classify(ctx, c.Document([]byte("one"))); err != ErrNoDocuments {
		t.Errorf("%v, want %v", err, ErrNoDocuments)
	}
	train(t, c, "ham", "one two")
	train(t, c, "spam", "three")
	doc := c.Document([]byte("one"))
	_, err := c.Classify(ctx, doc)
	_, explained := c.Explain(ctx, doc)
	for _, err := range []error{err, explained} {
		if !errors.Is(err, store.ErrNoClass) || !strings.Contains(err.Error(), `class "spma" of Decision.Positive`) {
			t.Errorf("%v", err)
		}
	}
	train(t, c, "spma", "four")
	if _, err := c.Forget(ctx, c.Document([]byte("four"))); err != nil {
		t.Fatal(err)
	}
	if r := ask(t, c, "one one two"); r.Class != "ham" || r.Reason != decision.Unlearned {
		t.Errorf("%+v", r)
	}
}

// Where one of two classes is small a sample has few of it, and rates of the other are
// known all the same, by nearly all that there are. Weights and zones see the classes as
// they are.
func TestRateOfRareOthers(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	rng := rand.New(rand.NewPCG(8, 9))
	for class, n := range []int{120, 1400} {
		if _, err := c.Train(ctx, []string{"ham", "spam"}[class], mixed(c, rng, class, n)...); err != nil {
			t.Fatal(err)
		}
	}
	k, err := c.Calibrate(ctx, 300)
	if err != nil || k == nil {
		t.Fatalf("%v, %v", k, err)
	}
	classes := classesOf(t, c)
	ham, spam := classes[0].ID, classes[1].ID
	if n := k.Sampled[ham]; n > 60 || k.Sample > 400 {
		t.Errorf("%d of %d documents in the sample are ham", n, k.Sample)
	}
	tails := k.Model(k.Chosen).Tails
	if tails[spam].Documents != 120 || tails[spam].Own != k.Sampled[spam] {
		t.Errorf("spam has a tail of %d others and %d of its own, %+v in the sample", tails[spam].Documents, tails[spam].Own, k.Sampled)
	}
	if tails[ham].Documents != k.Sampled[spam] || tails[ham].Own != 120 {
		t.Errorf("ham has a tail of %d others and %d of its own, %+v in the sample", tails[ham].Documents, tails[ham].Own, k.Sampled)
	}
	if _, known := tails[spam].Cut(.03); !known {
		t.Error("a rate of 3 % is not known from 120 others")
	}
}
