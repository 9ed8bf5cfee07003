package vocabulary

import "slices"

// shortlist keeps the first of what is added, in an order. At no time does it hold many
// more than the limit.
type shortlist[T any] struct {
	limit   int // 0 for all
	compare func(a, b T) int
	list    []T
}

func (s *shortlist[T]) add(x T) {
	if s.list = append(s.list, x); s.limit > 0 && len(s.list) >= 2*s.limit+1000 {
		s.first()
	}
}

// first returns the first of what was added, in order.
func (s *shortlist[T]) first() []T {
	slices.SortFunc(s.list, s.compare)
	if s.limit > 0 {
		s.list = s.list[:min(len(s.list), s.limit)]
	}
	return s.list
}
