// Package bytesort sorts by bytes. It compares the first bytes as numbers, which is several
// times faster than to compare slices of bytes.
package bytesort

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// An element is sorted as a number: packedBytes of its bytes above its index.
const (
	packedBytes = 6
	maxPacked   = 1 << (64 - 8*packedBytes)
)

// Sorter sorts lists. Its memory is used again. The zero value is ready for use, by one
// goroutine.
type Sorter[T any] struct {
	packed []uint64
	sorted []T
}

// Sort orders list by the bytes of its elements. Those of equal bytes come in any order.
func (s *Sorter[T]) Sort(list []T, of func(*T) []byte) {
	if len(list) > maxPacked {
		slices.SortFunc(list, func(a, b T) int { return bytes.Compare(of(&a), of(&b)) })
		return
	}
	s.sortFrom(list, of, 0)
	clear(s.sorted[:len(list)]) // or it would keep what elements lead to
}

// sortFrom sorts elements that agree in their first depth bytes. Those whose numbers agree,
// such as terms of one field, are sorted among themselves by what follows.
func (s *Sorter[T]) sortFrom(list []T, of func(*T) []byte, depth int) {
	start := len(s.packed)
	for i := range list {
		b := of(&list[i])
		s.packed = append(s.packed, pack(b[min(depth, len(b)):])|uint64(i))
	}
	packed := s.packed[start:]
	slices.Sort(packed)
	s.sorted = s.sorted[:0]
	for _, p := range packed {
		s.sorted = append(s.sorted, list[p%maxPacked])
	}
	copy(list, s.sorted)
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && packed[j]/maxPacked == packed[i]/maxPacked {
			j++
		}
		if j-i > 1 {
			s.sortRun(list[i:j], of, depth+packedBytes)
		}
		i = j
	}
	s.packed = s.packed[:start]
}

// sortRun sorts elements that agree in their first depth bytes, padded with zeros.
func (s *Sorter[T]) sortRun(list []T, of func(*T) []byte, depth int) {
	const few = 12
	// One that ends here may be told from one that goes on with zeros only by its
	// length, which bytes.Compare does.
	if len(list) > few && !slices.ContainsFunc(list, func(e T) bool { return len(of(&e)) < depth }) {
		s.sortFrom(list, of, depth)
		return
	}
	slices.SortFunc(list, func(a, b T) int { return bytes.Compare(of(&a), of(&b)) })
}

// pack returns the first packedBytes bytes of b, padded with zeros, as the high
// bytes of a number that sorts as they do.
func pack(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b) &^ (maxPacked - 1)
	}
	var p uint64
	for i := range min(len(b), packedBytes) {
		p |= uint64(b[i]) << (56 - 8*i)
	}
	return p
}
