package evaluation

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// add adds a document of these words.
func add(c *Corpus, class, path string, test bool, words ...string) {
	var bag tokenize.Bag
	for _, w := range words {
		bag.Add([]byte(w))
	}
	c.Add(Doc{Path: path, ID: classify.ContentID(fmt.Append(nil, words)), Test: test}, class, &bag, nil)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestCorpus(t *testing.T) {
	var c Corpus
	add(&c, "spam", "1", false, "buy", "now", "buy")
	add(&c, "ham", "2", true, "now", "meet")
	add(&c, "spam", "3", false)
	c.Sort()
	if !slices.Equal(c.Classes, []string{"ham", "spam"}) || c.Docs[0].Class != 1 || c.Docs[1].Class != 0 {
		t.Errorf("classes %v, documents of %v and %v", c.Classes, c.Docs[0].Class, c.Docs[1].Class)
	}
	add(&c, "ham", "4", false, "agenda") // after Sort, too
	if c.Docs[3].Class != 0 {
		t.Error("a class has two indices, or none")
	}
	var bag tokenize.Bag
	c.document(&bag, 0)
	if term, n := bag.At(0); bag.Len() != 2 || string(term) != "buy" || n != 2 {
		t.Errorf("document 0 has %d terms, the first %q %d times", bag.Len(), term, n)
	}
	bag.SetGrams([]uint16{7, 8})
	c.Add(Doc{Path: "5"}, "ham", &bag, nil)
	if c.document(&bag, 3); len(bag.AppendGrams(nil)) > 0 {
		t.Errorf("a document without grams has %v", bag.AppendGrams(nil))
	}
	if c.document(&bag, 4); !slices.Equal(bag.AppendGrams(nil), []uint16{7, 8}) {
		t.Errorf("document 4 has the grams %v", bag.AppendGrams(nil))
	}
	if train, test := c.split(func(i int) bool { return c.Docs[i].Test }); !slices.Equal(train, []int{0, 2, 3, 4}) || !slices.Equal(test, []int{1}) {
		t.Errorf("split into %v and %v", train, test)
	}
}

// What is left without copies is what a database has that learned all.
func TestDistinctIsWhatADatabaseLearns(t *testing.T) {
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		var c Corpus
		var delta store.Delta
		for i := range rapid.IntRange(1, 12).Draw(t, "n") {
			class := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "class")
			word := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "word")
			add(&c, class, fmt.Sprint(i), false, word)
			delta.Add(count.Document{ID: c.Docs[i].ID, Class: class, Time: time.Unix(1, 0), Terms: []count.TermCount{{Term: []byte(word), N: 1}}})
		}
		c.Sort()
		n++
		db, err := store.Open(filepath.Join(dir, fmt.Sprint(n)), store.Options{DefaultAnalyzer: tokenize.DefaultSpec})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Apply(&delta); err != nil {
			t.Fatal(err)
		}
		kept := c.distinct(c.all())
		got := c.Count(kept)
		err = db.View(func(s *store.Snapshot) error {
			for i, name := range c.Classes {
				var want int
				if at := count.ClassNamed(s.Classes(), name); at >= 0 {
					class := s.Classes()[at]
					want = int(class.Docs)
				}
				if got[i] != want {
					t.Errorf("class %s has %d documents, want %d", name, got[i], want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestSortByTime(t *testing.T) {
	var c Corpus
	for i, second := range []int64{5, 0, 3, 5, 0} {
		add(&c, "a", fmt.Sprint(i), false, fmt.Sprint(i))
		if second > 0 {
			c.Docs[i].Time = time.Unix(second, 0)
		}
	}
	r := sample{corpus: c}
	if order, err := r.inTime(); err != nil || order != "by date" {
		t.Error(order, err)
	}
	var paths string
	for _, d := range c.Docs {
		paths += d.Path
	}
	if paths != "14203" || len(r.notes) != 1 || !strings.HasPrefix(r.notes[0], "2 of the documents have no date") {
		t.Errorf("order %s, notes %q", paths, r.notes)
	}
}

// Attributes are copied, and go with the document to where it is learned and asked
// about.
func TestAttributesOfACorpus(t *testing.T) {
	var c Corpus
	add(&c, "a", "1", false, "x")
	list := []count.Attribute{{Name: "size", Kind: count.Real, Number: 3}, {Name: "day", Kind: count.Category, Category: "mon"}}
	c.Add(Doc{Path: "2"}, "b", new(tokenize.Bag), list)
	want := slices.Clone(list)
	list[0].Number, list[1].Category = 4, "tue"
	var bag tokenize.Bag
	if got := c.document(&bag, 1); !slices.Equal(got.Attributes, want) || bag.Len() != 0 {
		t.Errorf("got %+v, want %+v", got.Attributes, want)
	}
}
