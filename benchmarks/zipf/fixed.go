package zipf

import (
	"math/big"
	"math/bits"
)

// Logarithms are to the base 2, with 32 fractional bits. Floats would not be portable:
// the last bit of math.Exp and math.Log, and of a product that is added, depends on the
// architecture.

// one is 1 as a logarithm: an octave.
const one = 1 << 32

// powers[k][i] is 2^(i / 256^(k+1)), with 62 fractional bits.
var powers = func() (t [4][256]uint64) {
	root := new(big.Int).Lsh(big.NewInt(2), 62)
	for k := range t {
		for range 8 {
			root.Sqrt(root.Lsh(root, 62))
		}
		step := root.Uint64()
		t[k][0] = 1 << 62
		for i := 1; i < 256; i++ {
			t[k][i] = times(t[k][i-1], step)
		}
	}
	return t
}()

// times multiplies numbers with 62 fractional bits.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high<<2 | low>>62
}

// exp2 returns 2^x rounded down, for x below 62.
func exp2(x uint64) uint64 {
	m := powers[0][x>>24&255]
	for k := 1; k < len(powers); k++ {
		m = times(m, powers[k][x>>(24-8*k)&255])
	}
	return m >> (62 - x>>32)
}

// log2 returns the logarithm of n, at least 1, rounded down.
func log2(n uint64) uint64 {
	octave := uint64(bits.Len64(n) - 1)
	m, x := n<<(62-octave), octave
	for range 32 {
		m = times(m, m)
		x <<= 1
		if m >= 1<<63 {
			m >>= 1
			x |= 1
		}
	}
	return x
}
