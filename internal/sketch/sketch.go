// Package sketch draws a small sample of the features of a text that is the same in every
// program: equal texts have equal samples, and of texts that share many features the samples
// do too. (A. Broder, On the Resemblance and Containment of Documents, 1997.)
package sketch

import (
	"math"
	"slices"
)

// Most is the number of features in a sample. With half as many the same answers on mail
// were wrong; with all features no fewer.
const Most = 128

// Features appends the sample of features, given by hashes of which all bits are random: the
// low halves of the least distinct ones, Most at most. It sorts hashes.
func Features(dst []uint16, hashes []uint32) []uint16 {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	for _, h := range hashes[:min(Most, len(hashes))] {
		dst = append(dst, uint16(h))
	}
	return dst
}

// gram is the number of bytes of a gram.
const gram = 4

// Grams appends the sample of the grams of text: all sequences of four bytes.
func Grams(dst []uint16, text []byte) []uint16 {
	if len(text) < gram {
		return dst
	}
	// Only hashes up to a limit are sorted: about twice as many as are needed.
	var memory [4 * Most]uint32
	for limit := 2 * Most * (math.MaxUint32 / uint64(len(text))); ; limit *= 4 {
		hashes := memory[:0]
		x := uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2])
		for _, c := range text[gram-1:] {
			x = x<<8 | uint32(c)
			if h := uint32(uint64(x) * 0x9e3779b97f4a7c15 >> 32); uint64(h) <= limit {
				hashes = append(hashes, h)
			}
		}
		slices.Sort(hashes)
		if hashes = slices.Compact(hashes); len(hashes) >= Most || limit >= math.MaxUint32 {
			return Features(dst, hashes)
		}
	}
}
