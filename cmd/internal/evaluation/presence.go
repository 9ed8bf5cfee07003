package evaluation

import (
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// presenceColumns is the approximate largest number of columns of a Presence: as in the
// textbook's figure, in which each of 600 words has one.
const presenceColumns = 600

// Presence is p(term in document | class), the Bernoulli model's feature densities, over
// all terms: the share of the documents of a class that have a term, as counted. Terms
// are in order of document frequency over all classes, the most frequent first (Murphy,
// "Machine Learning: A Probabilistic Perspective", 2012, figure 3.8, shows a vocabulary
// of 600 words). With at most presenceColumns terms each column is one term; with more,
// the most frequent terms have columns of their own, and the others share columns of
// equal width in the logarithm of the rank.
type Presence struct {
	// Terms is the number of terms. Columns are ranges of terms, from First to Last in the
	// order above, counted from 1.
	Terms   int              `json:"terms"`
	Columns []PresenceColumn `json:"columns"`

	// Classes are the classes with documents, in order of name.
	Classes []ClassPresence `json:"classes"`
}

// PresenceColumn is a range of terms.
type PresenceColumn struct {
	First int `json:"first"`
	Last  int `json:"last"`

	// Share is the mean share of all documents that have a term of the column.
	Share float64 `json:"share"`
}

// ClassPresence are the shares of one class: of each column the greatest of its terms.
type ClassPresence struct {
	Class    string    `json:"class"`
	Docs     uint64    `json:"docs"`
	Greatest []float64 `json:"greatest"`
}

// presentTerm is a term's document frequency, in all and by class. A vocabulary may have
// millions, so it is small: the counts of all terms are in one slice.
type presentTerm struct {
	term     string
	docs     uint64
	from, to int // in counts
}

// inClass is the number of documents of a class that have a term.
type inClass struct{ class, docs uint32 }

// presence returns the shares of all terms, nil if there are no terms.
func presence(s *store.Snapshot, classes []*count.Class) (*Presence, error) {
	var terms []presentTerm
	var counts []inClass
	err := s.Scan(false, func(term []byte, cells []count.Cell) error {
		t := presentTerm{term: string(term), from: len(counts)}
		for _, cell := range cells {
			t.docs += cell.DF
			counts = append(counts, inClass{uint32(cell.Class), uint32(cell.DF)})
		}
		t.to = len(counts)
		terms = append(terms, t)
		return nil
	})
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	slices.SortFunc(terms, func(a, b presentTerm) int {
		return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.term, b.term))
	})
	p := &Presence{Terms: len(terms)}
	index := make([]int, len(classes))
	for c, class := range classes {
		if class.Docs > 0 {
			index[c] = len(p.Classes)
			p.Classes = append(p.Classes, ClassPresence{Class: class.Name, Docs: class.Docs})
		}
	}
	for first := 0; first < len(terms); {
		last := columnEnd(first, len(terms))
		p.add(terms[first:last], counts, first, index, s.Documents())
		first = last
	}
	return p, nil
}

func columnEnd(first, terms int) int {
	if terms <= presenceColumns {
		return first + 1
	}
	step := math.Pow(float64(terms), 1./presenceColumns)
	return min(max(first+1, int(float64(first+1)*step)), terms)
}

// add adds the column of these terms; first is the index of the first. index maps classes
// to p.Classes.
func (p *Presence) add(terms []presentTerm, counts []inClass, first int, index []int, documents uint64) {
	sum, greatest := uint64(0), make([]uint64, len(p.Classes))
	for _, t := range terms {
		sum += t.docs
		for _, in := range counts[t.from:t.to] {
			c := index[in.class]
			greatest[c] = max(greatest[c], uint64(in.docs))
		}
	}
	p.Columns = append(p.Columns, PresenceColumn{first + 1, first + len(terms), float64(sum) / float64(len(terms)) / float64(documents)})
	for c := range p.Classes {
		class := &p.Classes[c]
		class.Greatest = append(class.Greatest, float64(greatest[c])/float64(class.Docs))
	}
}

// Place returns where a column stands among the terms: the geometric mean of its ranks.
func (c PresenceColumn) Place() float64 { return math.Sqrt(float64(c.First) * float64(c.Last)) }
