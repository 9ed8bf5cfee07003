package classify

import (
	"context"

	"github.com/polya-classifier/polya/classify/conjugate"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Intervals says how well the probabilities of terms are known, in each class.
type Intervals struct {
	// Classes names the classes with documents, in order of name.
	Classes []string

	// Alpha is the α of the prior, DefaultMultinomialAlpha.
	Alpha float64

	// Terms are the posteriors of the terms asked for, in their order: Terms[i][c] is
	// that of term i in class c. Its Mean is the probability and its StdDev the
	// standard error; Interval has any other.
	Terms [][]conjugate.Beta
}

// Intervals returns what is known of the probability θ_ct that an occurrence of a term
// in a document of class c is one of term t. With the Dirichlet prior of the zero
// Multinomial it is distributed as
//
//	Beta(n_ct + α, N_c - n_ct + α(V-1))
//
// with n_ct the occurrences of the term in class c, N_c those of all terms, those that
// were pruned included, and V the vocabulary of all classes (K. Murphy, Machine
// Learning: A Probabilistic Perspective, 2012, sections 3.4 and 2.5.4). The mean is θ_ct
// of Multinomial, the standard deviation its standard error, as far as tokens are
// independent; in documents they come in bursts, so that it is rather too small.
//
// It is about the counts, whatever the Classifier's model and Selection. Terms that
// no class has are taken for terms of the vocabulary that the class lacks.
func (c *Classifier) Intervals(ctx context.Context, terms ...string) (Intervals, error) {
	if err := ctx.Err(); err != nil {
		return Intervals{}, err
	}
	in := Intervals{Alpha: DefaultMultinomialAlpha, Terms: make([][]conjugate.Beta, len(terms))}
	err := c.db.View(func(s *store.Snapshot) error {
		prior := conjugate.Symmetric{Alpha: in.Alpha, K: max(s.Vocabulary(), 1)}
		counts := make([]uint64, len(s.Classes()))
		fill := func(i int) {
			for at, class := range s.Classes() {
				if class.Docs > 0 {
					in.Terms[i] = append(in.Terms[i], prior.Marginal(counts[at], class.Tokens))
				}
			}
		}
		for _, class := range s.Classes() {
			if class.Docs > 0 {
				in.Classes = append(in.Classes, class.Name)
			}
		}
		asked := make([]count.TermCount, len(terms))
		for i, term := range terms {
			asked[i].Term = []byte(term)
		}
		err := s.Rows(asked, false, func(i int, cells []count.Cell) error {
			clear(counts)
			for _, cell := range cells {
				counts[cell.Class] = cell.TF
			}
			fill(i)
			return nil
		})
		clear(counts)
		for i := range in.Terms {
			if in.Terms[i] == nil {
				fill(i)
			}
		}
		return err
	})
	return in, err
}
