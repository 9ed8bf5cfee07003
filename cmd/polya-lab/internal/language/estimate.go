package language

import (
	"context"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/conjugate"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Probabilities are the probabilities of terms in each class, with how well they are known.
type Probabilities struct {
	// Classes names the classes with documents, in order of name.
	Classes []string

	// Alpha is the α of the prior.
	Alpha float64

	// Terms are the posteriors of the requested terms, in their order: Terms[i][c] is the
	// posterior of term i in class c. Its Mean is the probability, its StdDev the standard
	// error, and Interval gives credible intervals.
	Terms [][]conjugate.Beta
}

// Estimate returns the posterior of the probability θ_ct that an occurrence of a term in a
// document of class c is one of term t. With the Dirichlet prior of parameter α it is
//
//	Beta(n_ct + α, N_c - n_ct + α(V-1))
//
// with n_ct the occurrences of the term in class c, N_c the occurrences of all terms,
// including pruned ones, and V the vocabulary of all classes (K. Murphy, Machine Learning:
// A Probabilistic Perspective, 2012, sections 3.4 and 2.5.4). The mean is the θ_ct of the
// multinomial model with that α, the standard deviation its standard error if tokens are
// independent; in documents they are bursty, so it is rather too small.
//
// Terms that no class has are treated as terms of the vocabulary that the class lacks.
func Estimate(ctx context.Context, db *store.DB, alpha float64, terms ...string) (Probabilities, error) {
	if err := ctx.Err(); err != nil {
		return Probabilities{}, err
	}
	p := Probabilities{Alpha: alpha, Terms: make([][]conjugate.Beta, len(terms))}
	err := db.View(func(s *store.Snapshot) error {
		others := alpha * float64(max(s.Vocabulary(), 1)-1)
		posterior := func(n, all uint64) conjugate.Beta { return conjugate.Beta{A: alpha, B: others, Yes: n, No: all - n} }
		at := make([]int, len(s.Classes())) // by class: its place in p.Classes
		for c, class := range s.Classes() {
			if class.Docs == 0 {
				continue
			}
			at[c] = len(p.Classes)
			p.Classes = append(p.Classes, class.Name)
			for i := range p.Terms {
				p.Terms[i] = append(p.Terms[i], posterior(0, class.Tokens))
			}
		}
		asked := make([]count.TermCount, len(terms))
		for i, term := range terms {
			asked[i].Term = []byte(term)
		}
		return s.Rows(asked, false, func(i int, cells []count.Cell) error {
			for _, cell := range cells {
				if class := s.Classes()[cell.Class]; class.Docs > 0 {
					p.Terms[i][at[cell.Class]] = posterior(cell.TF, class.Tokens)
				}
			}
			return nil
		})
	})
	return p, err
}
