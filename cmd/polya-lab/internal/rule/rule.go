// Package rule finds the header rule by which somebody most probably selected a few
// messages: Bayesian concept learning from positive examples only. The classes of
// documents do not matter.
//
// The hypotheses are rules of one or two conditions that some positive meets, and that
// there is no rule. If rule h matches |h| of N documents and covers k of n positives,
// with ε exceptions,
//
//	p(D|h) = ((1-ε)/|h| + ε/N)^k (ε/N)^(n-k)
//	p(h)   = λ_kind / V_kind                  one condition
//	p(h)   = λ_pair / V_pair                  two
//	p(h)   = λ_none                           no rule; |h| = N
//
// The prior is a mixture of kinds. Within a kind all rules are equally probable: V_kind
// is the number of different values that the documents have, V_pair the number of ways to
// pick a document and two of its values, an upper bound of the number of pairs. So -log
// p(h) is the description length of the rule: its kind, then its index within the kind.
// Since there are far more pairs than values, two conditions must match far fewer
// documents than one of them to be more probable. A condition that all documents meet is
// not a rule, and two conditions that match the same documents as one of them are not a
// separate rule.
package rule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Options select the rules that Find returns. The zero value is the default.
type Options struct {
	// Limit is the number of rules to return, the most probable ones; 0 is all.
	Limit int

	// Noise is the probability ε, less than 1, that a positive is an exception to
	// the rule. 0 is DefaultNoise.
	Noise float64
}

// DefaultNoise is the Noise of the zero Options: one message in twenty was selected by
// mistake, or for another reason.
const DefaultNoise = .05

// Answer holds the rules that Find found.
type Answer struct {
	// Rules are the most probable rules, the most probable first; equal ones by fewer
	// conditions, then by longer values, then in order of their conditions.
	Rules []Rule

	// None is the posterior of no rule: that the positives are arbitrary messages. It and
	// the posteriors of all rules, including those beyond the limit, sum to 1.
	None float64

	// Documents is the number of documents counted, N, the positives among them.
	Documents uint64

	// Pairs is true if rules of two conditions were considered, which needs a ledger
	// that keeps all documents in full.
	Pairs bool
}

var errNoPositives = errors.New("no documents to find a rule for")

// Find returns the rules by which the positives were most probably selected. It reads the
// ID and Terms of a positive; a repeated one counts once. To exclude a condition from
// rules leave its term out of the positives.
//
// Unlearned positives count as documents too. Without a ledger (count.LedgerNone) all
// positives count as unlearned. The header of an attached message counts as part of its
// message's header, since terms do not distinguish them.
//
// Find reads the vocabulary once and, for pairs, every document of the ledger. It
// considers at most 2,000 conditions and 64 of them in pairs: those that the most
// positives meet, and of equal ones the rarest. It ends early with the error of ctx.
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

// letters returns the length of the values. A longer value, such as a subdomain, is more
// specific.
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
