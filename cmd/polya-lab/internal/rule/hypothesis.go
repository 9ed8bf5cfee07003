package rule

import (
	"math"
	"slices"
)

// Rule is a rule on the header of a message: it matches messages that meet all of its
// conditions.
type Rule struct {
	// Conditions are one or two, in the order of their kinds.
	Conditions []Condition

	// Size is the number of counted documents that the rule matches, at least
	// Covers.
	Size uint64

	// Covers is the number of the positives that it matches.
	Covers int

	// Posterior is the probability that the positives were chosen by this rule, 0 to 1.
	Posterior float64
}

// hypothesis is a rule with its prior and the positives that it covers.
type hypothesis struct {
	rule     Rule
	logPrior float64
	has      func(positive int) bool
}

// These are λ, by kind of rule; they sum to 1. People sort their mail by list or sender;
// a word of a subject is more often a coincidence. They were chosen on half of the
// folders of one person's mail, where a factor of three in one changed the share of
// precise rules by up to a point, except that a domain must be less probable than an
// address, since most domains have only one.
var kindWeights = [kinds]float64{ListID: .25, FromAddress: .25, FromDomain: .1, Recipient: .1, SubjectWord: .05}

const pairWeight, noWeight = .2, .05

// logPrior returns log λ/V.
func logPrior(weight float64, values uint64) float64 {
	return math.Log(weight) - math.Log(float64(values))
}

// singles returns the rules of one condition that some document does not meet.
func (k *candidates) singles() []hypothesis {
	var list []hypothesis
	for _, m := range k.conditions {
		if m.df >= k.documents {
			continue
		}
		list = append(list, hypothesis{
			rule:     Rule{Conditions: []Condition{m.Condition}, Size: m.df, Covers: m.n},
			logPrior: logPrior(kindWeights[m.Kind], k.values[m.Kind]),
			has:      func(positive int) bool { return m.by[positive] },
		})
	}
	return list
}

// conjunctions returns the rules of two conditions that some positive meets, without
// those that match the same documents as one of their conditions alone.
func (k *candidates) conjunctions() []hypothesis {
	if !k.paired {
		return nil
	}
	var list []hypothesis
	first := k.conditions[:min(len(k.conditions), maxPaired)]
	for i, a := range first {
		for j := i + 1; j < len(first); j++ {
			if h, ok := k.conjunction(a, first[j], k.pairs[i][j]); ok {
				list = append(list, h)
			}
		}
	}
	return list
}

func (k *candidates) conjunction(a, b *candidate, size uint64) (hypothesis, bool) {
	both := func(positive int) bool { return a.by[positive] && b.by[positive] }
	covers := 0
	for p := range k.positives {
		if both(p) {
			covers++
		}
	}
	size = max(size, uint64(covers))
	if covers == 0 || size >= min(a.df, b.df) {
		return hypothesis{}, false
	}
	two := []Condition{a.Condition, b.Condition}
	slices.SortFunc(two, compareConditions)
	return hypothesis{
		rule:     Rule{Conditions: two, Size: size, Covers: covers},
		logPrior: logPrior(pairWeight, k.pairSum),
		has:      both,
	}, true
}
