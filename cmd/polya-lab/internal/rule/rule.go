// Package rule finds the header rule by which somebody most probably selected a few
// messages, and writes it as Sieve (RFC 5228): Bayesian concept learning from positive
// examples only. The classes of documents do not matter.
//
// The hypotheses are rules of one condition that some positive meets, and that there is no
// rule. If rule h matches |h| of N documents and covers k of n positives, with ε exceptions,
//
//	p(D|h) = ((1-ε)/|h| + ε/N)^k (ε/N)^(n-k)
//	p(h)   = λ_kind / V_kind
//	p(h)   = λ_none                           no rule; |h| = N
//
// The prior is a mixture of kinds. Within a kind all rules are equally probable: V_kind
// is the number of different values that the documents have. So -log p(h) is the
// description length of the rule: its kind, then its index within the kind. A condition
// that all documents meet is not a rule.
package rule

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// noise is ε, the probability that a positive is an exception to the rule: one message in
// twenty was selected by mistake, or for another reason.
const noise = .05

// These are λ, by kind of rule, up to a factor. People sort their mail by list or sender; a
// word of a subject is more often a coincidence. They were chosen on half of the folders of
// one person's mail. A domain must be less probable than an address: most domains have only one.
var kindWeights = [kinds]float64{ListID: .25, FromAddress: .25, FromDomain: .1, Recipient: .1, SubjectWord: .05}

const noWeight = .05

// Answer holds the rules that Find found.
type Answer struct {
	// Rules are the most probable rules, the most probable first; equal ones by longer
	// values, then in order of their conditions.
	Rules []Rule

	// None is the posterior of no rule: that the positives are arbitrary messages. It and
	// the posteriors of all rules, including those beyond the limit, sum to 1.
	None float64

	// Documents is the number of documents counted, N, the positives among them.
	Documents uint64
}

// Rule is a rule on the header of a message.
type Rule struct {
	Condition

	// Size is the number of counted documents that the rule matches, at least Covers.
	Size uint64

	// Covers is the number of the positives that it matches.
	Covers int

	// Posterior is the probability that the positives were chosen by this rule, 0 to 1.
	Posterior float64

	by   []bool // whether each positive meets the condition
	more uint64 // positives among these that are not learned
}

// Find returns the rules by which the positives were most probably selected, at most limit of
// them or all if that is 0. A repeated positive counts once.
//
// Unlearned positives count as documents too. Without a ledger (count.LedgerNone) all
// positives count as unlearned. The header of an attached message counts as part of its
// message's header, since terms do not distinguish them.
func Find(ctx context.Context, db *store.DB, positives []Message, limit int) (a Answer, err error) {
	if len(positives) == 0 {
		return a, errors.New("no documents to find a rule for")
	}
	err = db.View(func(s *store.Snapshot) error {
		k := search{documents: s.Documents()}
		if err := k.find(s, positives); err != nil {
			return err
		}
		if err := k.count(ctx, s); err != nil {
			return err
		}
		a, err = k.answer()
		return err
	})
	if limit > 0 && limit < len(a.Rules) {
		a.Rules = a.Rules[:limit:limit]
	}
	return a, err
}

// search is the rules considered, with their counts.
type search struct {
	positives int
	documents uint64 // N
	rules     []*Rule
	values    [kinds]uint64 // V by kind: number of different values
}

// find lists the conditions that some positive meets, in order, and counts the unlearned
// positives.
func (k *search) find(s *store.Snapshot, positives []Message) error {
	seen := make(map[count.DocID]bool)
	all := make(map[Condition]*Rule)
	for i := range positives {
		m := &positives[i]
		if m.ID != (count.DocID{}) && seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		e, err := s.Entry(m.ID)
		if err != nil {
			return err
		}
		if e == nil {
			k.documents++
		}
		for _, c := range m.conditions {
			r := all[c]
			if r == nil {
				r = &Rule{Condition: c, by: make([]bool, len(positives))}
				all[c] = r
				k.rules = append(k.rules, r)
			}
			r.by[k.positives] = true
			r.Covers++
			if e == nil {
				r.more++
			}
		}
		k.positives++
	}
	slices.SortFunc(k.rules, func(a, b *Rule) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value)) })
	return nil
}

// count looks up how many documents meet each condition, and counts the different values of
// each kind that documents have.
func (k *search) count(ctx context.Context, s *store.Snapshot) error {
	err := s.Scan(false, func(term []byte, cells []count.Cell) error {
		if kind := kindOf(term); kind != kinds && len(cells) > 0 {
			k.values[kind]++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	terms := make([]count.TermCount, len(k.rules))
	for i, r := range k.rules {
		r.Size = r.more
		k.values[r.Kind]++ // undone below if a document has it
		terms[i] = count.TermCount{Term: []byte(r.Term()), N: 1}
	}
	err = s.Rows(terms, false, func(i int, cells []count.Cell) error {
		k.values[k.rules[i].Kind]--
		for c := range cells {
			k.rules[i].Size += cells[c].DF
		}
		return nil
	})
	for _, r := range k.rules {
		r.Size = max(r.Size, uint64(r.Covers)) // a copy may have been learned without a part of its header
	}
	return err
}

// answer computes the posterior over all hypotheses.
func (k *search) answer() (Answer, error) {
	k.rules = slices.DeleteFunc(k.rules, func(r *Rule) bool { return r.Size >= k.documents })
	space := concept.Space[int]{Noise: noise, Objects: float64(k.documents)}
	for _, r := range k.rules {
		prior := kindWeights[r.Kind] / float64(k.values[r.Kind])
		space.Hypotheses = append(space.Hypotheses, concept.Hypothesis[int]{Size: float64(r.Size), Prior: prior, Has: func(positive int) bool { return r.by[positive] }})
	}
	space.Hypotheses = append(space.Hypotheses, concept.Hypothesis[int]{Size: float64(k.documents), Prior: noWeight, Has: func(int) bool { return true }})
	examples := make([]int, k.positives)
	for i := range examples {
		examples[i] = i
	}
	posterior, err := space.Learn(examples...)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{None: posterior.Prob[len(k.rules)], Documents: k.documents}
	for i, r := range k.rules {
		r.Posterior, r.by = posterior.Prob[i], nil
		a.Rules = append(a.Rules, *r)
	}
	slices.SortStableFunc(a.Rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(b.Posterior, a.Posterior), cmp.Compare(len(b.Value), len(a.Value)))
	})
	return a, nil
}
