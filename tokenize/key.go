package tokenize

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// number returns the first eight bytes of a term as a number, the first one lowest, padded
// with zeros.
func number(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.LittleEndian.Uint64(term)
	}
	var b [8]byte
	copy(b[:], term)
	return binary.LittleEndian.Uint64(b[:])
}

// secrets make hashes unpredictable to authors of documents. They have no visible effect.
var secrets = [3]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64()}

// hashOf returns a hash of a term, made by multiplication, as in Go's maps on processors
// without AES.
func hashOf(term []byte) uint64 {
	h, n := number(term), len(term)
	if n <= 8 {
		return hashShort(h, n)
	}
	for term = term[8:]; len(term) > 8; term = term[8:] {
		h = fold(h^secrets[0], binary.LittleEndian.Uint64(term)^secrets[1])
	}
	return fold(fold(h^secrets[0], number(term)^secrets[1]), uint64(n)^secrets[2])
}

// hashShort is hashOf for a term of at most eight bytes, given as a number.
func hashShort(term uint64, size int) uint64 {
	return fold(fold(term^secrets[0], secrets[1]), uint64(size)^secrets[2])
}

// fold multiplies, and returns the exclusive or of both halves of the product.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
