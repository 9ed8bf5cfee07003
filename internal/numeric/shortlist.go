package numeric

import "slices"

// Shortlist keeps the first Limit of the elements added, or all if Limit is 0. It never holds
// more than 2·Limit.
type Shortlist[T any] struct {
	Limit   int
	Compare func(a, b T) int

	list []T
	full bool // list is in order up to Limit
}

// Add adds x, unless it is certainly not among the first.
func (l *Shortlist[T]) Add(x T) {
	if l.full && l.Compare(x, l.list[l.Limit-1]) >= 0 {
		return
	}
	if l.list = append(l.list, x); l.Limit > 0 && len(l.list) >= 2*l.Limit {
		l.First()
		l.full = true
	}
}

// First returns the first elements, in order; of equal elements those added first.
func (l *Shortlist[T]) First() []T {
	slices.SortStableFunc(l.list, l.Compare)
	if l.Limit > 0 {
		l.list = l.list[:min(len(l.list), l.Limit)]
	}
	return l.list
}
