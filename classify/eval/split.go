package eval

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// Order returns the indices of the documents of these ids in the order of a hash of the
// id: a shuffle that depends only on the seed and the ids, and puts two documents in the
// same order whatever others there are. Equal ids stay in their order.
//
// The hash is the first eight bytes of
//
//	SHA-256(seed, eight bytes big-endian; id)
//
// so that other programs can compute the same order.
func Order(ids []string, seed uint64) []int {
	hashes := make([]uint64, len(ids))
	order := make([]int, len(ids))
	var buf []byte
	for i, id := range ids {
		buf = binary.BigEndian.AppendUint64(buf[:0], seed)
		buf = append(buf, id...)
		sum := sha256.Sum256(buf)
		hashes[i] = binary.BigEndian.Uint64(sum[:])
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(hashes[i], hashes[j]), cmp.Compare(ids[i], ids[j]))
	})
	return order
}

// Folds returns for each document the fold, 0 to k-1, in which it is tested; in the
// others it is trained on. Class by class in ascending order, the documents are dealt to
// the folds in the order of Order, each class continuing where the one before ended. So
// the folds of a class, and the folds as a whole, differ by at most one document, and the
// folds depend on seed, ids and classes, not on the order of documents with different
// ids.
//
// A class with fewer than k documents is missing from some folds. It panics if there
// are not at least two folds or the lengths differ.
func Folds[C cmp.Ordered](ids []string, classes []C, k int, seed uint64) []int {
	if len(ids) != len(classes) {
		panic("eval: slice length mismatch")
	}
	if k < 2 {
		panic("eval: fewer than two folds")
	}
	members := make(map[C][]int)
	for _, i := range Order(ids, seed) {
		members[classes[i]] = append(members[classes[i]], i)
	}
	folds := make([]int, len(ids))
	var dealt int
	for _, class := range slices.Sorted(maps.Keys(members)) {
		for _, i := range members[class] {
			folds[i] = dealt % k
			dealt++
		}
	}
	return folds
}

// LogSizes returns whole numbers from first to last whose logarithms are, except for
// rounding, equally spaced,
//
//	round(first · 10^(i/perDecade))    i = 0, 1, …
//
// ascending, without repetition, and last at the end. With 3 per decade from 10 these are
// 10, 22, 46, 100, 215, 464, 1000, …. It returns last alone if first is not below it, and
// nothing if last is 0. It panics if first or perDecade is not positive, or last is
// negative.
func LogSizes(first, last, perDecade int) []int {
	if first <= 0 || last < 0 || perDecade <= 0 {
		panic("eval: sizes out of range")
	}
	var sizes []int
	for i := 0; ; i++ {
		// A whole number of decades is exact.
		size := math.Round(float64(first) * math.Pow10(i/perDecade) * math.Pow(10, float64(i%perDecade)/float64(perDecade)))
		if size >= float64(last) {
			break
		}
		if n := int(size); len(sizes) == 0 || n > sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
	}
	if last > 0 {
		sizes = append(sizes, last)
	}
	return sizes
}
