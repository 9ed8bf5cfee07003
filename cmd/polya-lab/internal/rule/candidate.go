package rule

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

const (
	// maxConditions bounds the conditions considered. Three messages have some fifty.
	maxConditions = 2000

	// maxPaired bounds the conditions considered in pairs: each has a bit in one word.
	maxPaired = 64
)

// candidates are the conditions that rules are made of, with their counts.
type candidates struct {
	positives  int
	documents  uint64                       // N
	conditions []*candidate                 // the first maxPaired are considered in pairs
	values     [kinds]uint64                // V by kind: number of different values
	pairs      [maxPaired][maxPaired]uint64 // documents that meet both, first < second
	pairSum    uint64                       // V_pair
	paired     bool                         // the ledger has all documents in full
}

// candidate is a condition that some positive meets.
type candidate struct {
	Condition
	by   []bool // whether each positive meets it
	n    int    // positives that meet it
	more uint64 // positives among these that are not learned
	df   uint64 // documents that meet it
}

func newCandidates(ctx context.Context, s *store.Snapshot, positives []count.Document) (*candidates, error) {
	positives = withoutCopies(positives)
	learned, err := areLearned(s, positives)
	if err != nil {
		return nil, err
	}
	k := &candidates{positives: len(positives), documents: s.Documents()}
	k.find(positives, learned)
	if err := k.countValues(ctx, s); err != nil {
		return nil, err
	}
	if err := k.countDocuments(s); err != nil {
		return nil, err
	}
	k.bound()
	return k, k.countPairs(ctx, s, positives, learned)
}

// withoutCopies returns the documents without those whose ID came before.
func withoutCopies(docs []count.Document) []count.Document {
	seen := make(map[count.DocID]bool, len(docs))
	var all []count.Document
	for _, doc := range docs {
		if doc.ID != (count.DocID{}) && seen[doc.ID] {
			continue
		}
		seen[doc.ID] = true
		all = append(all, doc)
	}
	return all
}

// areLearned returns, for each document, whether the ledger has it.
func areLearned(s *store.Snapshot, docs []count.Document) ([]bool, error) {
	learned := make([]bool, len(docs))
	for i, doc := range docs {
		e, err := s.Entry(doc.ID)
		if err != nil {
			return nil, err
		}
		learned[i] = e != nil
	}
	return learned, nil
}

// find lists the conditions that some positive meets, in order, and counts the unlearned
// positives.
func (k *candidates) find(positives []count.Document, learned []bool) {
	all := make(map[Condition]*candidate)
	for i, doc := range positives {
		if !learned[i] {
			k.documents++
		}
		for _, c := range conditionsOf(doc.Terms) {
			m := all[c]
			if m == nil {
				m = &candidate{Condition: c, by: make([]bool, len(positives))}
				all[c] = m
				k.conditions = append(k.conditions, m)
			}
			m.by[i] = true
			m.n++
			if !learned[i] {
				m.more++
			}
		}
	}
	slices.SortFunc(k.conditions, func(a, b *candidate) int { return compareConditions(a.Condition, b.Condition) })
}

// conditionsOf returns the conditions that a document with these terms meets.
func conditionsOf(terms []count.TermCount) []Condition {
	var all []Condition
	for i := range terms {
		if c, ok := ConditionOf(terms[i].Term); ok {
			all = append(all, c)
		}
	}
	return slices.DeleteFunc(all, func(c Condition) bool {
		return c.Kind == FromDomain && !slices.ContainsFunc(all, func(a Condition) bool {
			return a.Kind == FromAddress && isDomainOf(c.Value, a.Value)
		})
	})
}

// countValues counts the different values of each kind that documents have.
func (k *candidates) countValues(ctx context.Context, s *store.Snapshot) error {
	return s.Scan(false, func(term []byte, cells []count.Cell) error {
		if kind := kindOf(term); kind != kinds && len(cells) > 0 {
			k.values[kind]++
		}
		return ctx.Err()
	})
}

// countDocuments looks up the document frequency of each condition.
func (k *candidates) countDocuments(s *store.Snapshot) error {
	terms := make([]count.TermCount, len(k.conditions))
	for i, m := range k.conditions {
		m.df = m.more
		k.values[m.Kind]++ // undone below if a document has it
		terms[i] = count.TermCount{Term: []byte(m.Term()), N: 1}
	}
	err := s.Rows(terms, false, func(i int, cells []count.Cell) error {
		k.values[k.conditions[i].Kind]--
		for c := range cells {
			k.conditions[i].df += cells[c].DF
		}
		return nil
	})
	for _, m := range k.conditions {
		m.df = max(m.df, uint64(m.n)) // a copy may have been learned without a part of its header
	}
	return err
}

// bound sorts the conditions by the number of positives that meet them, of equal ones the
// rarest first, and drops those beyond maxConditions.
func (k *candidates) bound() {
	slices.SortStableFunc(k.conditions, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.df, b.df))
	})
	k.conditions = k.conditions[:min(len(k.conditions), maxConditions)]
}

// countPairs counts for each two of the first conditions the documents that meet
// both. If the ledger does not have all documents, k.paired stays false.
func (k *candidates) countPairs(ctx context.Context, s *store.Snapshot, positives []count.Document, learned []bool) error {
	first := k.conditions[:min(len(k.conditions), maxPaired)]
	at := make(map[string]int, len(first))
	for i, m := range first {
		at[m.Term()] = i
	}
	for p, is := range learned {
		mask := uint64(0)
		for i, m := range first {
			if m.by[p] && !is {
				mask |= 1 << i
			}
		}
		k.countBoth(mask)
		if !is {
			k.pairSum += choose2(len(conditionsOf(positives[p].Terms)))
		}
	}
	seen := uint64(0)
	err := s.Learned(nil, func(doc *count.Document) error {
		seen++
		mask, conditions := uint64(0), 0
		for _, t := range doc.Terms {
			if kindOf(t.Term) == kinds {
				continue
			}
			conditions++
			if i, ok := at[string(t.Term)]; ok {
				mask |= 1 << i
			}
		}
		k.countBoth(mask)
		k.pairSum += choose2(conditions)
		return ctx.Err()
	})
	k.paired = seen == s.Documents()
	return err
}

// choose2 returns the number of ways to choose two of n.
func choose2(n int) uint64 { return uint64(n) * uint64(n-1) / 2 }

// countBoth counts a document that meets the conditions of mask.
func (k *candidates) countBoth(mask uint64) {
	for a := mask; a != 0; a &= a - 1 {
		i := bits.TrailingZeros64(a)
		for b := a & (a - 1); b != 0; b &= b - 1 {
			k.pairs[i][bits.TrailingZeros64(b)]++
		}
	}
}
