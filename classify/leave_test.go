package classify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// randomTexts are texts of up to 30 words of a small vocabulary, in which words
// repeat, and of one that few or no others have.
func randomTexts(rng *rand.Rand, n int) []string {
	var texts []string
	for i := range n {
		words := []string{fmt.Sprint("own", i/2)}
		for range rng.IntN(30) {
			word := fmt.Sprint("w", int(30*rng.Float64()*rng.Float64()))
			words = append(words, slices.Repeat([]string{word}, 1+rng.IntN(2)*rng.IntN(20))...)
		}
		texts = append(texts, strings.Join(words, " "))
	}
	return texts
}

// learned returns copies of the documents that the ledger has in full.
func learned(t *testing.T, c *Classifier) (docs []count.Document) {
	t.Helper()
	err := c.Store().View(func(s *store.Snapshot) error {
		return s.Learned(nil, func(d *count.Document) error {
			doc := *d
			doc.Terms, doc.Dropped = slices.Clone(d.Terms), slices.Clone(d.Dropped)
			for i := range doc.Terms {
				doc.Terms[i].Term = bytes.Clone(doc.Terms[i].Term)
			}
			docs = append(docs, doc)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

// looked returns the rows of the terms, with classes in order of name, and the
// totals. If out is not nil, it is left out.
func looked(t *testing.T, c *Classifier, terms []count.TermCount, out *count.Document) (rows map[string]model.Row, tokens int, left model.Totals, ok bool) {
	t.Helper()
	err := c.Store().View(func(s *store.Snapshot) error {
		e := &model.Evidence{Terms: slices.Clone(terms)}
		if err := e.ReadTerms(s, true); err != nil {
			return err
		}
		left, ok = totalsOf(s), true
		if out != nil {
			class := slices.IndexFunc(left.Classes, func(k *count.Class) bool { return k.Name == out.Class })
			var err error
			if left, ok, err = e.LeaveOut(s, left, class, out); err != nil {
				return err
			}
		}
		rows, tokens = map[string]model.Row{}, e.Tokens
		for _, row := range slices.Concat(e.Rows, e.Channel) {
			row.Cells = slices.Clone(row.Cells)
			slices.SortFunc(row.Cells, func(a, b count.Cell) int { return a.Class - b.Class })
			for k := range row.Cells {
				row.Cells[k].U = slices.Clone(row.Cells[k].U)
			}
			rows[string(row.Term)] = row
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, tokens, left, ok
}

// checkLeaving leaves out one document after the other, and compares what is
// left with the database from which the document has then been forgotten.
func checkLeaving(t *testing.T, c *Classifier, docs []count.Document) {
	t.Helper()
	for _, doc := range docs {
		rows, tokens, left, ok := looked(t, c, doc.Terms, &doc)
		if !ok {
			t.Fatalf("document %s of class %s is not left out", doc.ID, doc.Class)
		}
		var b Batch
		b.delta.Forget(doc.ID)
		if _, err := c.Apply(ctx, &b); err != nil {
			t.Fatal(err)
		}
		wantRows, wantTokens, want, _ := looked(t, c, doc.Terms, nil)
		if tokens != wantTokens || !reflect.DeepEqual(rows, wantRows) {
			t.Fatalf("rows without document %s:\n%+v\nwant\n%+v", doc.ID, rows, wantRows)
		}
		if left.Documents != want.Documents || left.Vocabulary != want.Vocabulary {
			t.Fatalf("%d documents and %d terms, want %d and %d", left.Documents, left.Vocabulary, want.Documents, want.Vocabulary)
		}
		for i := range want.Classes {
			if fmt.Sprint(*left.Classes[i]) != fmt.Sprint(*want.Classes[i]) { // an empty list is no list
				t.Fatalf("class without document %s:\n%+v\nwant\n%+v", doc.ID, *left.Classes[i], *want.Classes[i])
			}
		}
	}
}

// trainAll learns texts in one transaction, each as the class of its index.
func trainAll(t testing.TB, c *Classifier, classes []string, texts []string) {
	t.Helper()
	var b Batch
	for i, text := range texts {
		if err := b.Train(classes[i%len(classes)], c.Document([]byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Apply(ctx, &b); err != nil {
		t.Fatal(err)
	}
}

// Leaving a document out gives, to the bit, what the database says when it is really
// forgotten, down to the last document of each class. Classes are first used in an order
// other than by name.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
		trainAll(t, c, []string{"m", "z", "a", "m", "m"}, randomTexts(rng, 40))
		docs := learned(t, c)
		rng.Shuffle(len(docs), func(i, k int) { docs[i], docs[k] = docs[k], docs[i] })
		checkLeaving(t, c, docs)
	}
}

// The same where terms were dropped from the database, some of which have been
// learned again since.
func TestLeaveOutPruned(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 2))
		texts := randomTexts(rng, 50)
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
		trainAll(t, c, []string{"m", "z", "a", "m"}, texts[:30])
		pruned, err := c.Store().Prune(ctx, false, func(term []byte, cells []count.Cell) bool { return term[len(term)-1]%3 == 0 })
		if err != nil || pruned.Terms == 0 {
			t.Fatalf("%+v, %v", pruned, err)
		}
		trainAll(t, c, []string{"z", "b"}, texts[30:])
		docs := learned(t, c)
		rng.Shuffle(len(docs), func(i, k int) { docs[i], docs[k] = docs[k], docs[i] })
		checkLeaving(t, c, docs)
	}
}

// A document that does not fit the counts is refused: one that was never
// learned, was learned as another class, has a term more, or occurs more often
// than any that was learned.
func TestLeaveOutRefuses(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{})
	train(t, c, "z", "one two two", "one three", "five six seven eight nine")
	train(t, c, "a", "four four", "five", "one two two two")
	for _, d := range []struct {
		class string
		terms map[string]uint8
	}{
		{"a", map[string]uint8{"one": 1, "three": 1}},
		{"z", map[string]uint8{"four": 2}},
		{"z", map[string]uint8{"one": 1, "two": 2, "ten": 1}},
		{"z", map[string]uint8{"one": 1, "ten": 1}},
		{"z", map[string]uint8{"one": 1, "two": 3}},
		{"z", map[string]uint8{"one": 3, "two": 1}},
		{"z", map[string]uint8{"two": 1}},               // one document has it, twice
		{"z", map[string]uint8{"three": 1}},             // it has the weight of a longer document
		{"z", map[string]uint8{"one": 1}},               // no document has this length
		{"z", map[string]uint8{"five": 1, "six": 1}},    // the same
		{"a", map[string]uint8{"one": 1, "five": 1}},    // the same
		{"z", map[string]uint8{"one": 200, "two": 200}}, // more tokens than there are
	} {
		doc := count.Document{Class: d.class}
		for term, n := range d.terms {
			doc.Terms = append(doc.Terms, count.TermCount{Term: []byte(term), N: n})
		}
		slices.SortFunc(doc.Terms, func(a, b count.TermCount) int { return bytes.Compare(a.Term, b.Term) })
		if _, _, _, ok := looked(t, c, doc.Terms, &doc); ok {
			t.Errorf("%v was left out of %s", d.terms, d.class)
		}
	}
}
