// Package bytesort sorts by bytes. It compares the first bytes as numbers, which is several
// times faster than comparing slices of bytes.
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

// Sorter sorts lists. Its memory is reused. The zero value is ready for use, by one
// goroutine.
type Sorter[T any] struct {
	packed []uint64
	other  []uint64 // reused by order
	sorted []T
}

// Sort orders list by the bytes of its elements. Elements with equal bytes come in any order.
func (s *Sorter[T]) Sort(list []T, of func(*T) []byte) {
	if len(list) > maxPacked {
		slices.SortFunc(list, func(a, b T) int { return bytes.Compare(of(&a), of(&b)) })
		return
	}
	s.sortFrom(list, of, 0)
	clear(s.sorted[:len(list)]) // or it would keep referenced memory alive
}

// sortFrom sorts elements that agree in their first depth bytes. Elements with equal numbers,
// such as terms of one field, are then sorted by the following bytes.
func (s *Sorter[T]) sortFrom(list []T, of func(*T) []byte, depth int) {
	start := len(s.packed)
	for i := range list {
		b := of(&list[i])
		s.packed = append(s.packed, pack(b[min(depth, len(b)):])|uint64(i))
	}
	packed := s.packed[start:]
	s.order(packed)
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

// order sorts numbers, whose indices ascend: byte by byte from the last, those in which some
// differ, unless there are so few that the counts of all bytes would take longer.
func (s *Sorter[T]) order(packed []uint64) {
	const few = 64
	if len(packed) < few {
		slices.Sort(packed)
		return
	}
	var starts [packedBytes][256]uint32 // by byte: how many numbers have it, and then where they go
	for _, p := range packed {
		for k := range starts {
			starts[k][byte(p>>(64-8*packedBytes+8*k))]++
		}
	}
	from, to := packed, slices.Grow(s.other[:0], len(packed))[:len(packed)]
	s.other = to
	for k := range starts {
		shift, next := 64-8*packedBytes+8*k, &starts[k]
		if next[byte(from[0]>>shift)] == uint32(len(from)) {
			continue
		}
		sum := uint32(0)
		for b, n := range next {
			next[b] = sum
			sum += n
		}
		for _, p := range from {
			b := byte(p >> shift)
			to[next[b]] = p
			next[b]++
		}
		from, to = to, from
	}
	copy(packed, from)
}

// sortRun sorts elements that agree in their first depth bytes, padded with zeros.
func (s *Sorter[T]) sortRun(list []T, of func(*T) []byte, depth int) {
	const few = 12
	if len(list) > few {
		// An element that ends here differs only in length from one that continues with zeros:
		// bytes.Compare decides.
		for i := range list {
			if len(of(&list[i])) < depth {
				slices.SortFunc(list, func(a, b T) int { return bytes.Compare(of(&a), of(&b)) })
				return
			}
		}
		s.sortFrom(list, of, depth)
		return
	}
	// By insertion, since a function that compares two copies would allocate both.
	for i := range list {
		for ; i > 0 && bytes.Compare(of(&list[i-1]), of(&list[i])) > 0; i-- {
			list[i-1], list[i] = list[i], list[i-1]
		}
	}
}

// pack returns the first packedBytes bytes of b, padded with zeros, as the high bytes of a
// number with the same order.
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
