// Package rule finds the header rule that a few messages, put together by somebody, were
// most probably chosen by: Bayesian concept learning from positive examples only. The
// class that a document was learned as does not matter.
//
// The hypotheses are rules of one condition that some positive meets, or of two; and
// that there is no rule. With |h| documents of N that rule h matches, n positives of
// which it covers k, and ε exceptions,
//
//	p(D|h) = ((1-ε)/|h| + ε/N)^k (ε/N)^(n-k)
//	p(h)   = λ_kind / V_kind                  one condition
//	p(h)   = λ_pair / V_pair                  two
//	p(h)   = λ_none                           no rule; |h| = N
//
// The prior is a mixture of kinds. Within a kind all rules are equally probable: V_kind
// is the number of different values that the documents have, V_pair the number of ways
// to pick a document and two of its values, an upper bound of the number of pairs. So
// -log p(h) is the length of the rule's description: its kind, then which of that kind.
// As there are far more pairs than values, two conditions must match far fewer documents
// than one of them to be more probable. A condition that all documents meet is not a
// rule, and two conditions that match what one of them does are the same rule as that
// one.
package rule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/concept"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Options select the rules that Find returns. The zero value is the default.
type Options struct {
	// Limit is how many rules are returned, the most probable ones; 0 is all.
	Limit int

	// Noise is the probability ε, less than 1, that a positive is an exception to
	// the rule. 0 is DefaultNoise.
	Noise float64
}

// DefaultNoise is the Noise that the zero Options stand for: one message of twenty was
// put there by mistake, or for another reason.
const DefaultNoise = .05

// Answer holds the rules that Find found.
type Answer struct {
	// Rules are the most probable ones, the most probable first; of equals, the one
	// of fewer conditions, then of longer values, then in order of their conditions.
	Rules []Rule

	// None is the posterior of no rule: that the positives are any messages. It and
	// the posteriors of all rules, those beyond the limit too, sum to 1.
	None float64

	// Documents is the number of documents counted, N, the positives among them.
	Documents uint64

	// Pairs is true if rules of two conditions were considered, which needs a ledger
	// that keeps all documents in full.
	Pairs bool
}

var errNoPositives = errors.New("no documents to find a rule for")

// Find returns the rules that the positives were most probably chosen by. Of a positive
// its ID and Terms are read; one given twice counts once. A condition that a rule should
// not be made of is left out by leaving its term out of the positives.
//
// Positives that are not learned count as documents too. Where the ledger keeps nothing
// of the documents (count.LedgerNone), all positives are taken for not learned. The
// header of a message attached to another counts as that message's own, as terms do not
// tell them apart.
//
// Find reads the vocabulary once and, for pairs, every document of the ledger. It
// considers at most 2,000 conditions and 64 of them in pairs: those that the most
// positives meet, of equals the rarest. It ends early with the error of ctx.
func Find(ctx context.Context, db *store.DB, positives []count.Document, o Options) (Answer, error) {
	switch {
	case len(positives) == 0:
		return Answer{}, errNoPositives
	case !(o.Noise >= 0 && o.Noise < 1):
		return Answer{}, fmt.Errorf("noise of rules %v: want 0 or more and less than 1", o.Noise)
	}
	o.Noise = cmp.Or(o.Noise, DefaultNoise)
	var answer Answer
	err := db.View(func(s *store.Snapshot) error {
		k, err := newCandidates(ctx, s, positives)
		if err != nil {
			return err
		}
		answer, err = k.answer(o)
		return err
	})
	return answer, err
}

// answer computes the posterior over all hypotheses.
func (k *candidates) answer(o Options) (Answer, error) {
	considered := slices.Concat(k.singles(), k.conjunctions())
	space := concept.Space[int]{Noise: o.Noise, Objects: float64(k.documents)}
	for _, h := range considered {
		space.Hypotheses = append(space.Hypotheses, concept.Hypothesis[int]{Size: float64(h.rule.Size), Has: h.has})
		space.LogPrior = append(space.LogPrior, h.logPrior)
	}
	none := concept.Hypothesis[int]{Name: "none", Size: float64(k.documents), Has: func(int) bool { return true }}
	space.Hypotheses = append(space.Hypotheses, none)
	space.LogPrior = append(space.LogPrior, math.Log(noWeight))
	examples := make([]int, k.positives)
	for i := range examples {
		examples[i] = i
	}
	posterior, err := space.Learn(examples...)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{None: posterior.Prob(len(considered)), Documents: k.documents, Pairs: k.paired}
	for i, h := range considered {
		h.rule.Posterior = posterior.Prob(i)
		a.Rules = append(a.Rules, h.rule)
	}
	slices.SortStableFunc(a.Rules, compareRules)
	if o.Limit > 0 && o.Limit < len(a.Rules) {
		a.Rules = a.Rules[:o.Limit:o.Limit]
	}
	return a, nil
}

// letters is the length of the values. A longer value, such as a domain below another,
// is more specific.
func (r *Rule) letters() int {
	n := 0
	for _, c := range r.Conditions {
		n += len(c.Value)
	}
	return n
}

func compareRules(a, b Rule) int {
	return cmp.Or(
		cmp.Compare(b.Posterior, a.Posterior),
		cmp.Compare(len(a.Conditions), len(b.Conditions)),
		cmp.Compare(b.letters(), a.letters()),
		slices.CompareFunc(a.Conditions, b.Conditions, compareConditions),
	)
}
