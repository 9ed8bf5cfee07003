package classify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// mixed are documents of n classes, one class after the other, with numbers for
// ids: words of their class among words of all.
func mixed(c *Classifier, rng *rand.Rand, class, n int) []Document {
	var docs []Document
	for i := range n {
		text := ""
		for range 12 {
			if rng.IntN(4) == 0 {
				text += fmt.Sprintf("own%d-%d ", class, rng.IntN(40))
			} else {
				text += fmt.Sprintf("word%d ", rng.IntN(60))
			}
		}
		d := c.Document([]byte(text))
		d.ID = count.DocID{}
		binary.BigEndian.PutUint64(d.ID[:], uint64(class*100_000+i+1))
		docs = append(docs, d)
	}
	return docs
}

// right is the share of documents of two classes that are told.
func right(t *testing.T, c *Classifier, names ...string) float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	n, ok := 0, 0
	for class, name := range names {
		for _, d := range mixed(c, rng, class, 150) {
			r, err := c.Classify(ctx, d)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if r.Class == name {
				ok++
			}
		}
	}
	return float64(ok) / float64(n)
}

// Documents whose ids are numbers, class by class, are sampled like others.
func TestSampleOfNumberedDocuments(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	for _, ledger := range []count.Ledger{count.LedgerFull, count.LedgerDigest, count.LedgerNone} {
		c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Store: store.Options{Ledger: ledger}})
		rng := rand.New(rand.NewPCG(1, 2))
		for class, name := range []string{"a", "b"} {
			if _, err := c.Train(ctx, name, mixed(c, rng, class, 1500)...); err != nil {
				t.Fatal(err)
			}
		}
		k := calibrated(t, c)
		for _, class := range classesOf(t, c) {
			if n := k.Sampled[class.ID]; n < k.Sample*2/5 {
				t.Errorf("%v: %d of %d documents in the sample are of class %s", ledger, n, k.Sample, class.Name)
			}
		}
		if share := right(t, c, "a", "b"); share < .9 {
			t.Errorf("%v: %v right", ledger, share)
		}
	}
}

func classesOf(t *testing.T, c *Classifier) (classes []*count.Class) {
	t.Helper()
	if err := c.Store().View(func(s *store.Snapshot) error { classes = s.Classes(); return nil }); err != nil {
		t.Fatal(err)
	}
	return classes
}

// A process that has trained one class knows nothing to calibrate by, and what was
// known before stays.
func TestOneClassAProcess(t *testing.T) {
	t.Parallel()
	for _, ledger := range []count.Ledger{count.LedgerDigest, count.LedgerNone} {
		path := filepath.Join(t.TempDir(), "test.polya")
		rng := rand.New(rand.NewPCG(3, 4))
		for class, name := range []string{"a", "b"} {
			c := openTest(t, path, Options{Store: store.Options{Ledger: ledger}})
			if _, err := c.Train(ctx, name, mixed(c, rng, class, 400)...); err != nil {
				t.Fatal(err)
			}
			if k, err := c.Calibrate(ctx, 0); k != nil || err != nil {
				t.Errorf("%v: calibrated by one class: %+v, %v", ledger, k, err)
			}
			if class == 1 {
				if share := right(t, c, "a", "b"); share < .9 {
					t.Errorf("%v: %v right", ledger, share)
				}
			}
			c.Close()
		}
	}
}

// A class that was renamed, or deleted and learned anew with other documents, is not
// taken for the old one.
func TestRecentKnowsClassesById(t *testing.T) {
	t.Parallel()
	c := openTest(t, filepath.Join(t.TempDir(), "test.polya"), Options{Store: store.Options{Ledger: count.LedgerDigest}})
	rng := rand.New(rand.NewPCG(5, 6))
	for class, name := range []string{"a", "b"} {
		if _, err := c.Train(ctx, name, mixed(c, rng, class, 300)...); err != nil {
			t.Fatal(err)
		}
	}
	for _, names := range [][2]string{{"a", "x"}, {"b", "a"}, {"x", "b"}} {
		if err := c.Store().RenameClass(names[0], names[1]); err != nil {
			t.Fatal(err)
		}
	}
	if k := calibrated(t, c); k.Sample < 500 {
		t.Errorf("%d documents scored", k.Sample)
	}
	if share := right(t, c, "b", "a"); share < .9 {
		t.Errorf("renamed: %v right", share)
	}
	for _, name := range []string{"a", "b"} {
		if err := c.Store().DeleteClass(context.Background(), name); err != nil {
			t.Fatal(err)
		}
	}
	for class, name := range []string{"b", "a"} {
		if _, err := c.Train(ctx, name, mixed(c, rng, class, 300)...); err != nil {
			t.Fatal(err)
		}
	}
	calibrated(t, c)
	if share := right(t, c, "b", "a"); share < .9 {
		t.Errorf("deleted and learned anew: %v right", share)
	}
}

// What is kept is bounded, and follows what happens to the documents.
func TestRecent(t *testing.T) {
	t.Parallel()
	var r trainedSample
	classes := []*count.Class{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}
	id := func(i int) (id count.DocID) {
		binary.BigEndian.PutUint64(id[:], uint64(i))
		return id
	}
	var d store.Delta
	for i := range 3 * trainedMost {
		if err := d.Add(count.Document{ID: id(i), Class: "a", Terms: []count.TermCount{{Term: []byte("t"), N: 1}}}); err != nil {
			t.Fatal(err)
		}
	}
	r.follow(&d, classes)
	if n := len(r.docs); n < trainedMost || n >= 2*trainedMost {
		t.Errorf("%d documents kept", n)
	}
	list := r.list()
	for i := 1; i < len(list); i++ {
		if list[i-1].key >= list[i].key {
			t.Fatal("not in the order of the keys")
		}
	}
	var kept []count.DocID
	for _, doc := range list {
		kept = append(kept, doc.id)
	}
	var e store.Delta
	e.Forget(kept[0])
	if err := e.Relabel(kept[1], "b"); err != nil {
		t.Fatal(err)
	}
	r.follow(&e, classes)
	if _, there := r.docs[kept[0]]; there || r.docs[kept[1]].class != 2 || r.docs[kept[2]].class != 1 {
		t.Errorf("forgotten %t, moved to %d", there, r.docs[kept[1]].class)
	}
	size := 0
	for _, doc := range r.docs {
		size += len(doc.doc.Raw)
	}
	if size != r.bytes {
		t.Errorf("%d bytes, counted %d", size, r.bytes)
	}
}
