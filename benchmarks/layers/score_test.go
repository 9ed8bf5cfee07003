package layers

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// perTerm reports the time by known term of the documents asked about.
func perTerm(b *testing.B, terms int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(terms), "ns/term")
}

// questions are documents of 200 draws, so many that no cache of terms holds all of
// them; known is the number of their distinct terms.
func questions(vocabulary int) (docs []classify.Document, known int) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range 4000 {
		d := drawn(rng, i, 200, vocabulary)
		docs, known = append(docs, d), known+d.Bag.Len()
	}
	return docs, known
}

// BenchmarkLookUp is reading the rows of documents' terms from a large table, without
// scoring them.
func BenchmarkLookUp(b *testing.B) {
	t := large(b, setting("POLYA_BENCH_CLASSES", 20))
	c := open(b, t.path, classify.Options{Store: store.Options{ReadOnly: true}})
	defer c.Close()
	docs, known := questions(t.terms)
	var all [][]count.TermCount
	for _, d := range docs {
		var terms []count.TermCount
		for i := range d.Bag.Len() {
			term, n := d.Bag.At(i)
			terms = append(terms, count.TermCount{Term: term, N: uint8(n)})
		}
		all = append(all, terms)
	}
	b.ReportAllocs()
	for b.Loop() {
		err := c.Store().View(func(s *store.Snapshot) error {
			for _, terms := range all {
				if err := s.Rows(terms, false, func(int, []count.Cell) error { return nil }); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	perTerm(b, known)
}

// BenchmarkScore is looking up and scoring together, by model and number of classes.
func BenchmarkScore(b *testing.B) {
	for _, classes := range []int{2, setting("POLYA_BENCH_CLASSES", 20)} {
		for _, name := range []string{"auto", "multinomial", "bernoulli", "dcm", "normalised", "complement"} {
			b.Run(fmt.Sprintf("%s/%dClasses", name, classes), func(b *testing.B) { score(b, name, classes) })
		}
	}
}

func score(b *testing.B, name string, classes int) {
	model, err := classify.ParseModel(name)
	if err != nil {
		b.Fatal(err)
	}
	t := large(b, classes)
	// As it is: of documents by chance a calibration finds that models have no say.
	c := open(b, t.path, classify.Options{Model: model, Raw: true, Store: store.Options{ReadOnly: true}})
	defer c.Close()
	docs, known := questions(t.terms)
	b.ReportAllocs()
	for b.Loop() {
		for _, d := range docs {
			if _, err := c.Classify(background, d); err != nil {
				b.Fatal(err)
			}
		}
	}
	perTerm(b, known)
}

// BenchmarkOpen is opening a large database, one question, and closing it.
func BenchmarkOpen(b *testing.B) {
	t := large(b, setting("POLYA_BENCH_CLASSES", 20))
	docs, _ := questions(t.terms)
	for b.Loop() {
		c := open(b, t.path, classify.Options{Store: store.Options{ReadOnly: true}})
		if _, err := c.Classify(background, docs[0]); err != nil {
			b.Fatal(err)
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
