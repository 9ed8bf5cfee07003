package rows

import (
	"github.com/polya-classifier/polya/store/internal/table"
)

// Wanted is a set of terms to look for among many. Most others are told apart
// without their hash, by length and three of their bytes.
type Wanted struct {
	key    *table.Key
	hashes map[uint64]bool
	shapes [1 << 16 / 64]uint64
}

// NewWanted returns the empty set. Terms are hashed with key.
func NewWanted(key *table.Key) *Wanted { return &Wanted{key: key, hashes: make(map[uint64]bool)} }

// Add adds a term.
func (w *Wanted) Add(term []byte) {
	w.hashes[w.key.Hash(term)] = true
	s := shape(term)
	w.shapes[s/64] |= 1 << (s % 64)
}

func (w *Wanted) looksLike(term []byte) bool {
	s := shape(term)
	return w.shapes[s/64]>>(s%64)&1 != 0
}

func shape(term []byte) uint16 {
	n := len(term)
	return uint16(term[0])*0x9e37 + uint16(term[n/2])*0x85eb + uint16(term[n-1])*0xc2b2 + uint16(n)*0x27d5
}
