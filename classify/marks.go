package classify

import (
	"cmp"
	"slices"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/store/count"
)

// marks are the marks of a class, and of all others together.
type marks struct{ own, others calibration.Mark }

// mark updates the marks of all classes by the terms of the current document, which has
// not been left out, that no document before it has.
func (loo *looScores) mark() {
	for i := range loo.evidence.Rows {
		row := &loo.evidence.Rows[i]
		if len(loo.marks) == 0 || !loo.rows.Terms.First(loo.rows.Numbers[row.At]) {
			continue
		}
		for c := range loo.marks {
			class, own := loo.t.Classes[c], uint64(0)
			if k := slices.IndexFunc(row.Cells, func(x count.Cell) bool { return x.Class == c }); k >= 0 {
				own = row.Cells[k].DF
			}
			if class.Docs == 0 || class.Docs == loo.t.Documents {
				continue
			}
			p, q := float64(own)/float64(class.Docs), float64(row.DF-own)/float64(loo.t.Documents-class.Docs)
			better(&loo.marks[c].own, row.Term, p, q)
			better(&loo.marks[c].others, row.Term, q, p)
		}
	}
}

// better replaces m by a term that these shares of documents have, if it leads by more. Of
// equal ones it keeps the longest, which says most, and of these the first.
func better(m *calibration.Mark, term []byte, own, others float64) {
	switch lead := own - others; {
	case lead < m.Lead() || lead == 0:
	case lead > m.Lead() || cmp.Or(cmp.Compare(len(term), len(m.Term)), cmp.Compare(m.Term, string(term))) > 0:
		*m = calibration.Mark{Term: string(term), Own: own, Others: others}
	}
}
