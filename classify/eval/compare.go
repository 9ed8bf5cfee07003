package eval

import "math"

// McNemar is McNemar's test of whether two classifiers, a and b, err equally often on the
// same documents. It uses only documents that exactly one of them classifies correctly.
type McNemar struct {
	OnlyA int // documents that only a classifies correctly
	OnlyB int // documents that only b classifies correctly
}

// CompareErrors returns the counts of McNemar's test. It panics if a and b are not about the same
// documents, by id and true class, in the same order.
func CompareErrors(a, b *Results) (m McNemar) {
	if len(a.Answers) != len(b.Answers) {
		panic("eval: not the same documents")
	}
	for i := range a.Answers {
		x, y := &a.Answers[i], &b.Answers[i]
		if x.ID != y.ID || a.Classes[x.Class] != b.Classes[y.Class] {
			panic("eval: not the same documents")
		}
		switch rightA, rightB := x.Said == x.Class, y.Said == y.Class; {
		case rightA && !rightB:
			m.OnlyA++
		case rightB && !rightA:
			m.OnlyB++
		}
	}
	return m
}

// P returns the probability that equally good classifiers differ at least as much, the two-sided
// binomial
//
//	min(1, 2 Σ_{i=0}^{k} C(n,i) 2^-n)    n = OnlyA + OnlyB, k = min(OnlyA, OnlyB)
//
// 1 if no document counts. It takes time proportional to k.
func (m McNemar) P() float64 {
	n, k := m.OnlyA+m.OnlyB, min(m.OnlyA, m.OnlyB)
	// The last term, halved as it grows so that it neither overflows nor underflows; the
	// others follow from it by their ratios.
	last, halvings := 1.0, n
	for i := 1; i <= k; i++ {
		last *= float64(n-k+i) / float64(i)
		for ; last > 1 && halvings > 0; halvings-- {
			last /= 2
		}
	}
	sum, term := 1.0, 1.0
	for i := k; i > 0; i-- {
		term *= float64(i) / float64(n-i+1)
		sum += term
	}
	return math.Min(1, 2*math.Ldexp(last*sum, -halvings))
}
