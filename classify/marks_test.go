package classify

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/decision"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// ordinary returns a document of some of so many usual words, of words of its kind, and with
// words that all documents of a source have.
func ordinary(rng *rand.Rand, usual float64, kind string, source ...string) *tokenize.Bag {
	bag := new(tokenize.Bag)
	for range 30 {
		bag.Add(fmt.Appendf(nil, "usual%d", int(usual*rng.Float64())))
	}
	for range 15 {
		bag.Add(fmt.Appendf(nil, "%s%d", kind, rng.IntN(100)))
	}
	for _, word := range source {
		bag.Add([]byte(word))
	}
	return bag
}

// Where all documents of a class are of one source, others of the class are not taken surely
// for the other class, and the mark of the source is known.
func TestOneSource(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	wrong := map[bool]int{}
	for _, one := range []bool{true, false} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Decision: decision.Filter{Positive: "spam"}})
		var b Batch
		for i := range 500 {
			class, bag := "spam", ordinary(rng, 300, "spam")
			if i%5 == 0 {
				kind, usual := i%4, 300.
				if one {
					kind, usual = 0, 150
				}
				class, bag = "ham", ordinary(rng, usual, fmt.Sprint("ham", kind, "-"), "the-list", fmt.Sprint("footer", kind))
				if !one && i%2 == 0 {
					bag = ordinary(rng, usual, fmt.Sprint("ham", kind, "-"))
				}
			}
			if err := b.Train(class, Document{ID: count.DocID{byte(i), byte(i >> 8), 1}, Bag: bag}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
		k, err := c.Calibrate(ctx, 0)
		if err != nil || k == nil {
			t.Fatal(err)
		}
		classes, err := c.Classes()
		if err != nil {
			t.Fatal(err)
		}
		if m := k.Marks[classes[0].ID]; m.Narrow() != one || one && m.Term != "the-list" && m.Term != "footer0" || one && (m.Own != 1 || m.Others != 0) {
			t.Errorf("one source %v: mark %+v", one, m)
		}
		if m := k.Marks[classes[1].ID]; m.Narrow() {
			t.Errorf("mark of all kinds of documents: %+v", m)
		}
		for range 200 {
			r, err := c.Classify(ctx, Document{Bag: ordinary(rng, 300, "other")})
			if err != nil {
				t.Fatal(err)
			}
			if r.Class == "spam" && !r.Unsure {
				wrong[one]++
			}
		}
	}
	if wrong[true] > 2 {
		t.Errorf("of 200 other hams %d are surely spam", wrong[true])
	}
}

// After many spams and a few newsletters nearly every learned document is spam, and other documents
// are no newsletters: that is no precision.
func TestPrecisionBesideNewsletters(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Decision: decision.Precision{Share: .9}})
	var b Batch
	for i := range 320 {
		class, bag := "spam", ordinary(rng, 300, fmt.Sprint("spam", i%7, "-"))
		if i%16 == 0 {
			class, bag = "newsletter", ordinary(rng, 300, "news", "the-list")
		}
		if err := b.Train(class, Document{ID: count.DocID{byte(i), byte(i >> 8), 1}, Bag: bag}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if k, err := c.Calibrate(ctx, 0); err != nil || k == nil {
		t.Fatal(err)
	}
	filed := map[string]int{}
	for range 100 {
		for _, kind := range []string{"other", "news"} {
			bag := ordinary(rng, 300, kind)
			if kind == "news" {
				bag = ordinary(rng, 300, kind, "the-list")
			}
			r, err := c.Classify(ctx, Document{Bag: bag})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Unsure {
				filed[kind+" as "+r.Class]++
			}
		}
	}
	if filed["other as spam"] > 2 || filed["news as newsletter"] < 90 {
		t.Errorf("of 100 of each kind are filed: %v", filed)
	}
}

// What distinguishes many spams from a few newsletters is what newsletters lack: other documents have it too.
func TestFilterBesideNewsletters(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	some := func(share float64, words ...string) (list []string) {
		for _, w := range words {
			if rng.Float64() < share {
				list = append(list, w)
			}
		}
		return list
	}
	header := []string{"received", "return", "by", "with", "for", "id"}
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Decision: decision.Filter{Positive: "spam"}})
	var b Batch
	for i := range 350 {
		class, bag := "spam", ordinary(rng, 300, "rare", some(.9, header...)...)
		if i%7 == 0 {
			class, bag = "newsletter", ordinary(rng, 300, "rare", some(.85, "reserved", "news")...)
		}
		if err := b.Train(class, Document{ID: count.DocID{byte(i), byte(i >> 8), 1}, Bag: bag}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if k, err := c.Calibrate(ctx, 0); err != nil || k == nil {
		t.Fatal(err)
	}
	wrong := 0
	for range 200 {
		r, err := c.Classify(ctx, Document{Bag: ordinary(rng, 300, "rare", some(.9, header...)...)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Class == "spam" && !r.Unsure {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("of 200 other documents %d are surely spam", wrong)
	}
}
