package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Resemblance scores a class by how closely a document repeats what a user has taught as it,
//
//	min(8, max(0, 2 Σ_t l_t r_t (s_tc - θ)))
//
// over the known terms, with l = log(1+x), r_t the rarity of the term in the base, the
// least of log((1+D_c)/(1+df_tc)) by class, θ = .75, and s_tc how much of the term was
// taught as c rather than as other classes, min(1, n_tc/3) less the same of these, n_tc the
// lessons of the class that have the term. So a near copy of a document taught three times
// gets that class, which in the other models a few hundred words of a known kind would
// outweigh, and all other documents score 0.
type Resemblance struct {
	Times uint64         // how often each lesson counts in the rows
	Base  []*count.Class // the classes with the documents of the base
}

const (
	// resembling is θ. With near copies Σ l r s is .94 to 1 of Σ l r, with other mail .69 at most.
	resembling = .75

	// resemblanceSlope lets some ten words that only the user knows decide.
	resemblanceSlope = 2

	// resemblanceLessons is the number of lessons that make a term taught.
	resemblanceLessons = 3

	// mostResemblance outweighs a sure answer of the base: a spam taught three times as ham has
	// even odds by the other models.
	mostResemblance = 8
)

// Name returns "resemblance".
func (Resemblance) Name() string { return "resemblance" }

// Prepare keeps the number of documents.
func (m Resemblance) Prepare(t Totals) Scorer {
	s := &resemblance{classes: len(t.Classes), enough: float64(resemblanceLessons * m.Times)}
	for _, class := range m.Base {
		s.docs, s.all = append(s.docs, class.Docs), s.all+class.Docs
	}
	return &summed{contributor: s, weights: &weightsLog, most: mostResemblance, unit: func(*Evidence, float64) float64 { return resemblanceSlope }}
}

type resemblance struct {
	classes int
	docs    []uint64 // by class
	all     uint64
	enough  float64 // lessons, as they count in rows
}

// TaughtOtherwise reports whether the user has taught the term as other classes than this as
// often as Resemblance asks for.
func (m Resemblance) TaughtOtherwise(row *Row, class int) bool {
	n := uint64(0)
	for i := range row.Own {
		if row.Own[i].Class != class {
			n += row.Own[i].DF
		}
	}
	return n >= resemblanceLessons*m.Times && n > 0
}

func (s *resemblance) contribute(row *Row, memory *contributions) {
	rarity := s.rarity(row)
	list := slices.Grow(memory.list[:0], s.classes)[:s.classes]
	for c := range list {
		list[c] = contribution{c, -resembling * rarity}
	}
	for i := range row.Own {
		taught := rarity * min(1, float64(row.Own[i].DF)/s.enough)
		for c := range list {
			if c == row.Own[i].Class {
				list[c].value += taught
			} else {
				list[c].value -= taught
			}
		}
	}
	memory.list = list
}

// rarity returns r of a term.
func (s *resemblance) rarity(row *Row) float64 {
	most := 1 / float64(1+s.all)
	for i := range row.Cells {
		cell := &row.Cells[i]
		df := cell.DF
		for k := range row.Own {
			if row.Own[k].Class == cell.Class {
				df -= row.Own[k].DF
			}
		}
		if df > 0 {
			most = max(most, float64(1+df)/float64(1+s.docs[cell.Class]))
		}
	}
	return max(0, -quickLog(most))
}
