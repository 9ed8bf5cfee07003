// Package sketch draws a small sample of the features of a text that is the same in every
// program: equal texts have equal samples, and of texts that share many features the samples
// do too. (A. Broder, On the Resemblance and Containment of Documents, 1997.)
package sketch

import (
	"math"
	"math/bits"
)

// Size is about the most that a sample has, and most the greatest number, for texts that were
// made to have more.
const (
	Size = 256
	most = 2 * Size
)

// greatest returns the greatest hash of those of n features that are in the sample: a share of
// 1, 1/2, 1/4, ... of all hashes, so that samples of texts of other lengths are parts of it.
func greatest(n int) uint64 { return math.MaxUint64 >> bits.Len(uint(max(0, n-1)/Size)) }

// Features appends a sample of distinct features, given by hashes of which all bits are random.
func Features(dst []uint16, hashes []uint64) []uint16 {
	end, limit := len(dst)+most, greatest(len(hashes))
	for _, h := range hashes {
		if h <= limit && len(dst) < end {
			dst = append(dst, uint16(h>>32))
		}
	}
	return dst
}

// gram is the number of bytes of a gram.
const gram = 4

// Grams appends a sample of the grams of text: all sequences of four bytes, each once.
func Grams(dst []uint16, text []byte) []uint16 {
	if len(text) < gram {
		return dst
	}
	var seen [2 * most]uint32 // open addressing; 0 is empty
	end, limit := len(dst)+most, greatest(len(text))
	x := uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2])
	for _, c := range text[gram-1:] {
		x = x<<8 | uint32(c)
		h := uint64(x) * 0x9e3779b97f4a7c15
		if h > limit || len(dst) == end {
			continue
		}
		at := h >> 32 % uint64(len(seen))
		for seen[at] != 0 && seen[at] != x {
			at = (at + 1) % uint64(len(seen))
		}
		if seen[at] == 0 {
			seen[at] = x
			dst = append(dst, uint16(h>>32))
		}
	}
	return dst
}
