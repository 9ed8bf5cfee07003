// Package shortlist keeps the first of many things in an order.
package shortlist

import "slices"

// List keeps the first Limit of what is added, or all if that is 0. It never holds more
// than twice as many.
type List[T any] struct {
	Limit   int
	Compare func(a, b T) int

	list []T
	full bool // list is in order up to Limit
}

// Wants reports whether x may be among the first, as far as that is known.
func (l *List[T]) Wants(x T) bool { return !l.full || l.Compare(x, l.list[l.Limit-1]) < 0 }

// Add adds x, if it is wanted.
func (l *List[T]) Add(x T) {
	if !l.Wants(x) {
		return
	}
	if l.list = append(l.list, x); l.Limit > 0 && len(l.list) >= 2*l.Limit {
		l.First()
		l.full = true
	}
}

// First returns the first of what was added, in order; of equals those added first.
func (l *List[T]) First() []T {
	slices.SortStableFunc(l.list, l.Compare)
	if l.Limit > 0 {
		l.list = l.list[:min(len(l.list), l.Limit)]
	}
	return l.list
}
