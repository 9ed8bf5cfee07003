package evaluation

import (
	"cmp"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// presenceTerms is the largest number of terms of a Presence: as in the textbook's figure.
const presenceTerms = 600

// Presence is p(term in document | class), the Bernoulli model's feature densities, of the
// most frequent terms: the share of the documents of a class that have a term, as counted
// (Murphy, "Machine Learning: A Probabilistic Perspective", 2012, figure 3.8, shows a
// vocabulary of 600 words).
type Presence struct {
	// Share is the share of all documents that have each term, the most frequent first.
	Share []float64 `json:"share"`

	// Classes are the classes with documents, in order of name.
	Classes []ClassPresence `json:"classes"`
}

// ClassPresence are the shares of one class.
type ClassPresence struct {
	Class string    `json:"class"`
	Docs  uint64    `json:"docs"`
	Share []float64 `json:"share"`
}

// presentTerm is a term's document frequency, in all and by class.
type presentTerm struct {
	term string
	docs uint64
	in   []uint64
}

// presence returns the shares of the most frequent terms, nil if there are no terms.
func presence(s *store.Snapshot, classes []*count.Class) (*Presence, error) {
	most := numeric.Shortlist[presentTerm]{Limit: presenceTerms, Compare: func(a, b presentTerm) int {
		return cmp.Or(cmp.Compare(b.docs, a.docs), cmp.Compare(a.term, b.term))
	}}
	err := s.Scan(false, func(name []byte, cells []count.Cell) error {
		t := presentTerm{string(name), term.Frequency(cells), nil}
		if !most.Wants(t) {
			return nil
		}
		t.in = make([]uint64, len(classes))
		for _, cell := range cells {
			t.in[cell.Class] = cell.DF
		}
		most.Add(t)
		return nil
	})
	terms := most.First()
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	p := new(Presence)
	for _, t := range terms {
		p.Share = append(p.Share, float64(t.docs)/float64(s.Documents()))
	}
	for i, class := range classes {
		if class.Docs == 0 {
			continue
		}
		c := ClassPresence{Class: class.Name, Docs: class.Docs}
		for _, t := range terms {
			c.Share = append(c.Share, float64(t.in[i])/float64(class.Docs))
		}
		p.Classes = append(p.Classes, c)
	}
	return p, nil
}
