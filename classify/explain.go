package classify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/model"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Explanation holds the contributions to an answer. Its parts add up:
//
//	Result.LogOdds = Prior + Length + Recent + Σ Terms[i].LogOdds + Σ Attributes[i].LogOdds - Spread
//
// A part's log-odds is its log-likelihood in the answer's class minus its mean in the
// other classes, weighted by their posterior probabilities; Spread is the entropy of those
// weights. With two classes the spread is 0; with one LogOdds is +Inf.
type Explanation struct {
	Result

	// Classes names the classes of the contributions below, in order of name.
	Classes []string

	// Prior is the logarithm of the prior, multiplied by the PriorWeight of a Stack, and the
	// Stack's bias. A document without known terms has only the prior.
	Prior Contribution

	// Length is the part that does not depend on which terms the document has: for the DCM
	// its length, for the Bernoulli model all terms that it lacks; and the effect of
	// calibration.Model.Variance and Floor.
	Length Contribution

	// Recent is what recent lessons add, documents that resemble this one and were answered
	// otherwise than they were then taught.
	Recent Contribution

	// Terms and Attributes are the contributions of the known terms and attributes, the
	// largest first; of terms of channels those that contribute.
	Terms      []TermContribution
	Attributes []AttributeContribution

	// UnknownAttributes is the number of attributes that were never learned or have no
	// weight.
	UnknownAttributes int

	// Unknown is the number of distinct terms that no class has, without those of channels.
	Unknown int

	// Spread is the entropy of the weights of the other classes, in nats.
	Spread float64
}

// Contribution is the contribution of one part of the evidence, in nats.
type Contribution struct {
	LogOdds        float64
	LogLikelihoods []float64 // by class: its log-likelihood, less the mean of all
}

// TermContribution is the contribution of one term.
type TermContribution struct {
	Term  string
	Count int // occurrences in the document
	Contribution
}

// AttributeContribution is the contribution of one attribute.
type AttributeContribution struct {
	count.Attribute
	Contribution
}

// Explain classifies doc and returns the contributions to its answer.
func (c *Classifier) Explain(ctx context.Context, doc Document) (e Explanation, err error) {
	err = c.ask(ctx, &doc, (*question).ask, func(p *prepared, q *question) error {
		e, err = c.explanation(p, q)
		return err
	})
	return e, err
}

// explanation is result with the contributions to it.
func (c *Classifier) explanation(p *prepared, q *question) (e Explanation, err error) {
	if e.Result, err = c.result(p, q); err != nil {
		return e, err
	}
	w := weigher{answer: count.ClassNamed(p.classes, e.Class), classes: present(p.classes)}
	for _, c := range w.classes {
		e.Classes = append(e.Classes, p.classes[c].Name)
	}
	e.Spread = w.others(q.scores)
	x := q.contributions(p)
	e.Prior = w.part(x.Start)
	if len(w.classes) == 1 {
		e.Prior.LogOdds = e.LogOdds
	}
	e.UnknownAttributes = q.given - len(q.evidence.Attributes)
	e.Unknown = q.evidence.Unknown()
	length := make([]float64, len(p.classes))
	for c := range length {
		length[c] = q.scores[c] - x.Start[c]
	}
	take := func(values []float64) Contribution {
		for c := range length {
			length[c] -= values[c]
		}
		return w.part(values)
	}
	corrected := make([]float64, len(p.classes))
	if p.recent != nil {
		corrected[p.recent.second] = q.recent
	}
	e.Recent = take(corrected)
	for i, row := range slices.Concat(q.evidence.Rows, q.evidence.Channel) {
		e.Terms = append(e.Terms, TermContribution{string(row.Term), row.X, take(x.Rows[i])})
	}
	for i, row := range q.evidence.Attributes {
		e.Attributes = append(e.Attributes, AttributeContribution{row.Attribute, take(x.Attributes[i])})
	}
	e.Length = w.part(length)
	e.Sort()
	return e, nil
}

// Sort sorts the contributions, the largest first, and equal ones by name, and drops those of terms
// of channels that tell nothing.
func (e *Explanation) Sort() {
	e.Terms = slices.DeleteFunc(e.Terms, func(t TermContribution) bool { return t.LogOdds == 0 && count.OfChannel([]byte(t.Term)) })
	slices.SortStableFunc(e.Terms, func(a, b TermContribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)), cmp.Compare(a.Term, b.Term))
	})
	slices.SortStableFunc(e.Attributes, func(a, b AttributeContribution) int {
		return cmp.Or(cmp.Compare(math.Abs(b.LogOdds), math.Abs(a.LogOdds)), cmp.Compare(a.Name, b.Name))
	})
}

// contributions returns the contributions to the scores of the document, priors included.
// A document without known terms and attributes has only its prior.
func (q *question) contributions(p *prepared) *model.Contributions {
	x := model.NewContributions(&q.evidence, len(p.classes))
	if q.evidence.Empty() {
		copy(x.Start, p.priorOnly)
		return x
	}
	p.scorer.Explain(&q.evidence, 1, x)
	for c := range x.Start {
		x.Start[c] += p.prior[c]
		x.Start[c] += p.shift[c]
	}
	return x
}

// weigher turns the log-likelihoods of a part into its log-odds.
type weigher struct {
	answer  int
	classes []int     // those with documents
	weight  []float64 // by class: weights of the other classes, with sum 1
}

// others computes the weights from the scores and returns their entropy.
func (w *weigher) others(scores []float64) float64 {
	w.weight = make([]float64, len(scores))
	if len(w.classes) == 1 {
		return 0
	}
	rest := slices.Clone(scores)
	rest[w.answer] = math.Inf(-1)
	numeric.Softmax(w.weight, rest)
	spread := 0.0
	for _, q := range w.weight {
		if q > 0 {
			spread -= q * math.Log(q)
		}
	}
	return spread
}

func (w *weigher) part(of []float64) Contribution {
	p := Contribution{LogOdds: of[w.answer], LogLikelihoods: make([]float64, len(w.classes))}
	sum := 0.0
	for i, class := range w.classes {
		p.LogLikelihoods[i] = of[class]
		sum += of[class]
		p.LogOdds -= w.weight[class] * of[class]
	}
	if len(w.classes) == 1 {
		p.LogOdds = 0 // there is no other class
	}
	for i := range p.LogLikelihoods {
		p.LogLikelihoods[i] -= sum / float64(len(w.classes))
	}
	return p
}
