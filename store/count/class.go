package count

import (
	"slices"
	"strings"
)

// ClassID names a class inside one file. Ids are given in order of first use
// and never given again, so that a class can be renamed or deleted without
// touching its counts.
type ClassID uint32

// Class holds the counts of one class as a whole. It is immutable: training makes a new
// one.
type Class struct {
	ID        ClassID
	Name      string
	Docs      uint64 // documents
	Tokens    uint64 // Σ_t Σ_j U[t,j] + Dropped, the occurrences of all terms
	Weight    uint64 // Σ_t W[t] + DroppedWeight, in units of 2^-16
	Terms     uint64 // distinct terms, Σ_f H[f]
	Untracked uint64 // documents among Docs that the ledger does not know

	// Dropped and DroppedWeight are the parts of Tokens and Weight that belong to terms that
	// store.DB.Prune has dropped. No row has them.
	Dropped, DroppedWeight uint64

	// Lengths is L: for each length n that occurs, in ascending order, the
	// number of documents with exactly n tokens. N may be 0.
	Lengths []Pair

	// Frequencies is H: for each document frequency f ≥ 1 that occurs, in
	// ascending order, the number of terms that occur in exactly f documents.
	Frequencies []Pair
}

// Pair is one entry of a sparse histogram: the value N occurs Count times.
type Pair struct {
	N     uint64
	Count uint64
}

// AppendPair counts n so many times more in pairs, which ascend to n: in the last of them if that has n, else in a new one.
func AppendPair(pairs []Pair, n, times uint64) []Pair {
	if last := len(pairs) - 1; last >= 0 && pairs[last].N == n {
		pairs[last].Count += times
		return pairs
	}
	return append(pairs, Pair{n, times})
}

// Cell holds the counts of one term in one class.
type Cell struct {
	Class int    // index into the classes in order of name
	DF    uint64 // documents that have the term, U[0]
	TF    uint64 // occurrences of the term, Σ_j U[j]
	W     uint64 // Σ_d log(1+x)/‖log(1+x_d)‖₂ in units of 2^-16

	// U[j] is the number of documents in which the term occurs more than j
	// times, j = 0 … len(U)-1; it never increases with j. It is filled in only
	// where levels were asked for, and valid only until the next row is read.
	U []uint32
}

// Documents returns the number of documents of all classes together.
func Documents(classes []*Class) (n uint64) {
	for _, class := range classes {
		n += class.Docs
	}
	return n
}

// WithDocuments returns the number of classes that have documents.
func WithDocuments(classes []*Class) (n int) {
	for _, class := range classes {
		if class.Docs > 0 {
			n++
		}
	}
	return n
}

// ClassNamed returns the index of the class named name in classes, which are in order of
// name, -1 if there is none.
func ClassNamed(classes []*Class, name string) int {
	return Named(classes, name, func(c *Class) string { return c.Name })
}

// Named returns the index of what has this name in a list in order of names, -1 if nothing has.
func Named[T any](list []T, name string, of func(T) string) int {
	at, found := slices.BinarySearchFunc(list, name, func(x T, name string) int { return strings.Compare(of(x), name) })
	if !found {
		return -1
	}
	return at
}
