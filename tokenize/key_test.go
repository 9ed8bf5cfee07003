package tokenize

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestNumber(t *testing.T) {
	t.Parallel()
	for n := range 12 {
		term := []byte("\x81bcdefgh\xf2jkl")[:n]
		var padded [8]byte
		copy(padded[:], term)
		if got, want := number(term), binary.LittleEndian.Uint64(padded[:]); got != want {
			t.Errorf("%q is %x, want %x", term, got, want)
		}
	}
}

// Terms of all lengths that differ in one bit, or by a zero, have other hashes, which
// differ in any eight bits about as often as numbers drawn by chance would.
func TestHashesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	var equal [8]int // by byte of the hash, of how many neighbours it is the same
	neighbours := 0
	for size := range 40 {
		term := bytes.Repeat([]byte{'a'}, size)
		hash := hashOf(term)
		if size <= 8 && hash != hashShort(number(term), size) {
			t.Errorf("%q has two hashes", term)
		}
		for bit := range 8 * size {
			other := bytes.Clone(term)
			other[bit/8] ^= 1 << (bit % 8)
			for _, b := range [][]byte{other, append(other, 0)} {
				h := hashOf(b)
				if first, ok := seen[h]; ok || h == hash {
					t.Fatalf("%q, %q and %q: two have the hash %x", b, first, term, h)
				}
				seen[h] = string(b)
				neighbours++
				for i := range equal {
					if byte(h>>(8*i)) == byte(hash>>(8*i)) {
						equal[i]++
					}
				}
			}
		}
	}
	for i, n := range equal { // mean 49, standard deviation 7
		if n > neighbours/256+100 {
			t.Errorf("byte %d of the hash is the same for %d of %d neighbours", i, n, neighbours)
		}
	}
}
