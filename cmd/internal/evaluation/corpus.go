package evaluation

import (
	"slices"
	"time"
	"unique"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// Corpus holds labelled documents as counts of terms, each document tokenised once,
// and as attributes. A term of a document takes five bytes, the Grams of a message half a
// kilobyte, so that a hundred thousand messages fit in 150 MB, and an attribute about fifty.
// The zero value is empty.
type Corpus struct {
	// Terms are the distinct terms in order of first occurrence.
	Terms [][]byte

	// Classes are the names of the classes in order of name once Sort was called.
	Classes []string

	Docs []Doc

	term  map[string]uint32
	class map[string]int
}

// Doc is a document of a Corpus.
type Doc struct {
	// Path names the document in answers; folds and orders depend on it.
	Path  string
	ID    count.DocID
	Class int // index into Corpus.Classes
	Time  time.Time

	// Test says that the document is only for testing.
	Test bool

	Terms  []uint32 // indices into Corpus.Terms
	Counts []uint8  // how often each occurs, 1 to tokenize.MaxCount
	Grams  []uint16 // tokenize.Bag.Grams

	Attributes []count.Attribute
}

// Add adds a document with the terms of bag and these attributes, all of which are
// copied.
func (c *Corpus) Add(doc Doc, class string, bag *tokenize.Bag, attributes []count.Attribute) {
	if c.term == nil {
		c.term, c.class = map[string]uint32{}, map[string]int{}
	}
	doc.Class = c.classNamed(class)
	doc.Terms, doc.Counts = make([]uint32, bag.Len()), make([]uint8, bag.Len())
	for i := range bag.Len() {
		term, n := bag.At(i)
		doc.Terms[i], doc.Counts[i] = c.termOf(term), uint8(n)
	}
	doc.Grams, doc.Attributes = bag.AppendGrams(nil), slices.Clone(attributes)
	for k := range doc.Attributes {
		a := &doc.Attributes[k] // clone strings, which would keep a whole row of a table in memory
		a.Name, a.Category = unique.Make(a.Name).Value(), unique.Make(a.Category).Value()
	}
	c.Docs = append(c.Docs, doc)
}

func (c *Corpus) termOf(term []byte) uint32 {
	if t, known := c.term[string(term)]; known {
		return t
	}
	t, own := uint32(len(c.Terms)), string(term)
	c.term[own] = t
	c.Terms = append(c.Terms, []byte(own))
	return t
}

func (c *Corpus) classNamed(name string) int {
	if i, known := c.class[name]; known {
		return i
	}
	c.class[name] = len(c.Classes)
	c.Classes = append(c.Classes, name)
	return len(c.Classes) - 1
}

// Sort brings the classes into order of name. The documents stay in their order.
func (c *Corpus) Sort() {
	sorted := slices.Clone(c.Classes)
	slices.Sort(sorted)
	for i := range c.Docs {
		c.Docs[i].Class, _ = slices.BinarySearch(sorted, c.Classes[c.Docs[i].Class])
	}
	for i, name := range sorted {
		c.class[name] = i
	}
	c.Classes = sorted
}

// document returns document i for training and testing, with its terms in bag.
func (c *Corpus) document(bag *tokenize.Bag, i int) classify.Document {
	d := &c.Docs[i]
	bag.Reset()
	for k, t := range d.Terms {
		bag.AddN(c.Terms[t], int(d.Counts[k]))
	}
	bag.SetGrams(d.Grams)
	return classify.Document{ID: d.ID, Bag: bag, Attributes: d.Attributes, Time: d.Time}
}

// split divides the documents into those to learn and those to test.
func (c *Corpus) split(isTest func(i int) bool) (train, test []int) {
	for i := range c.Docs {
		if isTest(i) {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return train, test
}

func (c *Corpus) all() []int {
	docs := make([]int, len(c.Docs))
	for i := range docs {
		docs[i] = i
	}
	return docs
}

// Count returns the number of documents of each class.
func (c *Corpus) Count(docs []int) []int {
	n := make([]int, len(c.Classes))
	for _, i := range docs {
		n[c.Docs[i].Class]++
	}
	return n
}

// distinct returns docs without duplicates. A database learns an id once: distinct keeps
// the first document of an id, or the last if its class differs, since learning as
// another class moves a document.
func (c *Corpus) distinct(docs []int) []int {
	at := make(map[count.DocID]int, len(docs))
	var kept []int
	for _, i := range docs {
		k, seen := at[c.Docs[i].ID]
		switch {
		case !seen:
			at[c.Docs[i].ID] = len(kept)
			kept = append(kept, i)
		case c.Docs[kept[k]].Class != c.Docs[i].Class:
			kept[k] = i
		}
	}
	return kept
}

// shared returns how many documents of test have the same id as one of train.
func (c *Corpus) shared(train, test []int) (n int) {
	learned := make(map[count.DocID]bool, len(train))
	for _, i := range train {
		learned[c.Docs[i].ID] = true
	}
	for _, i := range test {
		if learned[c.Docs[i].ID] {
			n++
		}
	}
	return n
}

// shuffled returns docs in the order of a hash of seed and path; see eval.Order.
func (c *Corpus) shuffled(docs []int, seed uint64) []int {
	order := eval.Order(c.paths(docs), seed)
	for k, at := range order {
		order[k] = docs[at]
	}
	return order
}

func (c *Corpus) paths(docs []int) (paths []string) {
	for _, i := range docs {
		paths = append(paths, c.Docs[i].Path)
	}
	return paths
}

// Folds returns the fold of each of docs; see eval.Folds.
func (c *Corpus) Folds(docs []int, k int, seed uint64) []int {
	classes := make([]int, len(docs))
	for at, i := range docs {
		classes[at] = c.Docs[i].Class
	}
	return eval.Folds(c.paths(docs), classes, k, seed)
}

// shuffle puts the documents in the order of a hash of seed and path.
func (c *Corpus) shuffle(seed uint64) {
	var docs []Doc
	for _, i := range c.shuffled(c.all(), seed) {
		docs = append(docs, c.Docs[i])
	}
	c.Docs = docs
}
