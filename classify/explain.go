package classify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
)

// Explanation says what an answer is made of. Its parts add up:
//
//	Result.LogOdds = Prior + Length + Σ Terms[i].LogOdds - Spread
//
// A part's log-odds is its log-likelihood in the answer's class minus its mean
// in the other classes, weighted by how probable each of those is beside the
// others; Spread is the entropy of those weights. With two classes there is but
// one other, and the spread is 0; with one there is none, and LogOdds is +Inf.
type Explanation struct {
	Result

	// Classes names the classes that the weights below are of, in order of name.
	Classes []string

	// Prior is what the answer's class has before a word is read.
	Prior Part

	// Length is what does not depend on which terms the document has: for the
	// DCM its length, for the Bernoulli model all terms that it lacks.
	Length Part

	// Terms are the terms that had a say, the strongest first.
	Terms []TermWeight

	// Unknown is the number of distinct terms that no class has.
	Unknown int

	// Spread is how much the other classes together are ahead of their mean.
	Spread float64
}

// Part is what one part of the evidence is worth, in nats.
type Part struct {
	LogOdds float64
	Weights []float64 // by class: its log-likelihood, less the mean of all classes
}

// TermWeight is what one term is worth.
type TermWeight struct {
	Term  string
	Count int // occurrences in the document
	Part
}

// Explain classifies doc and says why.
func (c *Classifier) Explain(ctx context.Context, doc Document) (Explanation, error) {
	if err := ctx.Err(); err != nil {
		return Explanation{}, err
	}
	var e Explanation
	err := c.view(func(s *store.Snapshot, p *prepared) error {
		var v scoring
		if err := v.score(s, p, doc.Bag, c.model.Levels()); err != nil {
			return err
		}
		var err error
		if e.Result, err = c.result(p, &v); err != nil {
			return err
		}
		return e.explain(s, p, &v, c.model.Levels())
	})
	return e, err
}

func (e *Explanation) explain(s *store.Snapshot, p *prepared, v *scoring, levels bool) error {
	w := weigher{answer: slices.IndexFunc(p.classes, func(c *store.Class) bool { return c.Name == e.Class })}
	for i, class := range p.classes {
		if class.Docs > 0 {
			w.classes = append(w.classes, i)
			e.Classes = append(e.Classes, class.Name)
		}
	}
	e.Spread = w.others(v.scores)
	e.Prior = w.part(func(class int) float64 { return p.prior[class] })
	e.Length = w.part(func(class int) float64 {
		if v.known == 0 {
			return 0
		}
		return p.scorer.Base(class, v.tokens)
	})
	e.Unknown = len(v.terms) - v.known
	weights := make([]float64, len(p.classes))
	err := s.Rows(v.terms, levels, func(i int, cells []store.Cell) error {
		x := int(v.terms[i].N)
		for class := range weights {
			weights[class] = p.scorer.Missing(class, x)
		}
		for _, cell := range cells {
			weights[cell.Class] = p.scorer.Term(x, cell)
		}
		part := w.part(func(class int) float64 { return weights[class] })
		e.Terms = append(e.Terms, TermWeight{string(v.terms[i].Term), x, part})
		return nil
	})
	slices.SortStableFunc(e.Terms, func(a, b TermWeight) int {
		return cmp.Or(cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)), cmp.Compare(a.Term, b.Term))
	})
	return err
}

// weigher turns the log-likelihoods of a part into its log-odds.
type weigher struct {
	answer  int
	classes []int     // those with documents
	weight  []float64 // by class, of the others: they sum to 1
}

// others computes the weights from the scores and returns their entropy.
func (w *weigher) others(scores []float64) float64 {
	w.weight = make([]float64, len(scores))
	if len(w.classes) == 1 {
		return 0
	}
	rest := slices.Clone(scores)
	rest[w.answer] = math.Inf(-1)
	w.weight = posterior(rest)
	w.weight[w.answer] = 0
	spread := 0.0
	for _, q := range w.weight {
		if q > 0 {
			spread -= q * math.Log(q)
		}
	}
	return spread
}

func (w *weigher) part(of func(class int) float64) Part {
	p := Part{LogOdds: of(w.answer), Weights: make([]float64, len(w.classes))}
	mean := 0.0
	for i, class := range w.classes {
		p.Weights[i] = of(class)
		mean += p.Weights[i]
		if class != w.answer && w.weight[class] > 0 {
			p.LogOdds -= w.weight[class] * p.Weights[i]
		}
	}
	if len(w.classes) == 1 {
		p.LogOdds = 0 // against nobody
	}
	for i := range p.Weights {
		p.Weights[i] -= mean / float64(len(w.classes))
	}
	return p
}
