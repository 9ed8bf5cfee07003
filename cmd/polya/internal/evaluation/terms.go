package evaluation

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
)

// describe tells from the counts of db what terms stand out in each class.
func (e *experiment) describe(db *database) error {
	return db.Store().View(func(s *store.Snapshot) error {
		classes := s.Classes()
		if e.o.Terms > 0 {
			e.o.stage("terms", 0)
			terms, err := topTerms(s, classes, e.o.Terms)
			if err != nil {
				return err
			}
			e.report.Terms = terms
		}
		if len(classes) == 2 {
			d, err := densities(s, classes)
			if err != nil {
				return err
			}
			e.report.Densities = d
		}
		return e.ctx.Err()
	})
}

// ranked is a term with the number it is ranked by.
type ranked struct {
	Term
	by float64
}

// best keeps the highest-ranked terms seen.
type best struct {
	limit int
	terms []ranked // in order of rank
}

// rank orders by number, equals by term, so that the order of a scan does not matter.
func rank(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.Term.Term, b.Term.Term))
}

// takes says whether a term of this number would be kept.
func (b *best) takes(by float64, term []byte) bool {
	if len(b.terms) < b.limit {
		return true
	}
	last := b.terms[len(b.terms)-1]
	return by > last.by || by == last.by && bytes.Compare(term, []byte(last.Term.Term)) < 0
}

func (b *best) put(t ranked) {
	at, _ := slices.BinarySearchFunc(b.terms, t, rank)
	b.terms = slices.Insert(b.terms, at, t)
	b.terms = b.terms[:min(len(b.terms), b.limit)]
}

func (b *best) list() []Term {
	list := make([]Term, len(b.terms))
	for i, t := range b.terms {
		list[i] = t.Term
	}
	return list
}

// topTerms returns the terms that stand out in each class that has documents.
func topTerms(s *store.Snapshot, classes []*store.Class, limit int) ([]ClassTerms, error) {
	frequent, telling := make([]best, len(classes)), make([]best, len(classes))
	for c := range classes {
		frequent[c].limit, telling[c].limit = limit, limit
	}
	all := s.Documents()
	err := s.Scan(false, func(term []byte, cells []store.Cell) error {
		var docs uint64
		for _, cell := range cells {
			docs += cell.DF
		}
		for _, cell := range cells {
			class := classes[cell.Class]
			information := MutualInformation(cell.DF, docs-cell.DF, class.Docs-cell.DF, all-class.Docs-(docs-cell.DF))
			more := float64(cell.DF)*float64(all) > float64(docs)*float64(class.Docs)
			f, t := &frequent[cell.Class], &telling[cell.Class]
			often, tells := f.takes(float64(cell.TF), term), more && t.takes(information, term)
			if !often && !tells {
				continue
			}
			found := Term{
				Term: string(term), Probability: float64(cell.TF) / float64(class.Tokens),
				Information: information, Docs: cell.DF, Elsewhere: docs - cell.DF,
			}
			if often {
				f.put(ranked{found, float64(cell.TF)})
			}
			if tells {
				t.put(ranked{found, information})
			}
		}
		return nil
	})
	var list []ClassTerms
	for c, class := range classes {
		if class.Docs > 0 {
			list = append(list, ClassTerms{class.Name, frequent[c].list(), telling[c].list()})
		}
	}
	return list, err
}

// MutualInformation returns that of two yes-or-no properties of documents, in nats,
//
//	Σ_ij n_ij/n log(n n_ij / (n_i· n_·j))
//
// where n11 documents have both, n10 the first only, n01 the second only, and n00
// neither (Manning, Raghavan and Schütze, "Introduction to Information Retrieval",
// equation 13.17, which takes logarithms to base 2). Terms of the sum with n_ij = 0
// are 0, as is the information of no documents.
func MutualInformation(n11, n10, n01, n00 uint64) float64 {
	n := float64(n11 + n10 + n01 + n00)
	part := func(both, first, second uint64) float64 {
		if both == 0 {
			return 0
		}
		return float64(both) / n * math.Log(n*float64(both)/(float64(first)*float64(second)))
	}
	sum := part(n11, n11+n10, n11+n01) + part(n10, n11+n10, n10+n00) +
		part(n01, n01+n00, n11+n01) + part(n00, n01+n00, n10+n00)
	return max(sum, 0) // of independent properties, which rounding may make negative
}
