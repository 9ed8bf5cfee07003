package evaluation

import (
	"cmp"

	"github.com/polya-classifier/polya/classify/term"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// describe finds the size of db, and from its counts the characteristic terms of each class.
func (e *experiment) describe(db *database) (err error) {
	if e.report.Size, err = db.Store().Size(); err != nil || db.tagger != nil {
		return err
	}
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
		if !e.o.Presence {
			return e.ctx.Err()
		}
		p, err := presence(s, classes)
		if err != nil {
			return err
		}
		e.report.Presence = p
		return e.ctx.Err()
	})
}

// ranked is a term with its ranking score.
type ranked struct {
	Term
	by float64
}

// rank orders by score, ties by term, so that the order of a scan does not matter.
func rank(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.by, a.by), cmp.Compare(a.Term.Term, b.Term.Term))
}

// ranking keeps the terms that rank highest.
type ranking struct{ numeric.Shortlist[ranked] }

func (r *ranking) terms() []Term {
	list := []Term{}
	for _, t := range r.First() {
		list = append(list, t.Term)
	}
	return list
}

// topTerms returns the characteristic terms of each class that has documents.
func topTerms(s *store.Snapshot, classes []*count.Class, limit int) ([]ClassTerms, error) {
	frequent, informative := make([]ranking, len(classes)), make([]ranking, len(classes))
	for c := range classes {
		frequent[c].Limit, informative[c].Limit = limit, limit
		frequent[c].Compare, informative[c].Compare = rank, rank
	}
	all := s.Documents()
	tells := information(classes, all)
	err := s.Scan(false, func(term []byte, cells []count.Cell) error {
		docs, name := uint64(0), string(term)
		for _, cell := range cells {
			docs += cell.DF
		}
		for _, cell := range cells {
			class := classes[cell.Class]
			information := tells[cell.Class](cell.DF, docs-cell.DF)
			more := float64(cell.DF)*float64(all) > float64(docs)*float64(class.Docs)
			found := Term{
				Term: name, Probability: float64(cell.TF) / float64(class.Tokens),
				Information: information, Docs: cell.DF, Elsewhere: docs - cell.DF,
			}
			frequent[cell.Class].Add(ranked{found, float64(cell.TF)})
			if more {
				informative[cell.Class].Add(ranked{found, information})
			}
		}
		return nil
	})
	var list []ClassTerms
	for c, class := range classes {
		if class.Docs > 0 {
			list = append(list, ClassTerms{class.Name, frequent[c].terms(), informative[c].terms()})
		}
	}
	return list, err
}

// information returns for each class a function that computes the mutual information, in
// nats, between being of the class and having a term, from the numbers of documents of
// the class and of others that have the term.
func information(classes []*count.Class, all uint64) []func(own, others uint64) float64 {
	list := make([]func(uint64, uint64) float64, len(classes))
	cells := []count.Cell{{Class: 0}, {Class: 1}}
	for c, class := range classes {
		measure := term.Information([]*count.Class{{Docs: class.Docs}, {Docs: all - class.Docs}})
		list[c] = func(own, others uint64) float64 {
			cells[0].DF, cells[1].DF = own, others
			return measure(cells)
		}
	}
	return list
}
