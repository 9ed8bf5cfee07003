// Package wire reads and writes the parts of the values of a database file and of a
// Delta: numbers, strings, histograms and checksums. FORMAT.md of package store describes
// them.
package wire

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/polya-classifier/polya/store/count"
)

// Reader reads Data from place At on. Once something is missing or not encoded as by this
// package, Bad stays true and all further results are meaningless.
type Reader struct {
	Data []byte
	At   int
	Bad  bool
}

// Whole returns whether all of Data has been read and nothing was bad.
func (r *Reader) Whole() bool { return !r.Bad && r.At == len(r.Data) }

// Uvarint reads an unsigned number, which must be in its shortest form.
func (r *Reader) Uvarint() uint64 {
	v, at := Uvarint(r.Data, r.At)
	if at > len(r.Data) {
		r.Bad = true
		return 0
	}
	r.At = at
	return v
}

// Uvarint reads the unsigned number at a place of data, in its shortest form, and returns the place
// after it, or one beyond the end if there is no number: then the number is 0. Numbers of one, two
// and three bytes, nearly all, have fast paths.
func Uvarint(data []byte, at int) (uint64, int) {
	if at >= len(data) {
		return 0, len(data) + 1
	}
	rest := data[at:]
	if rest[0] < 0x80 {
		return uint64(rest[0]), at + 1
	}
	if len(rest) >= 3 {
		low := uint64(rest[0]&0x7f) | uint64(rest[1]&0x7f)<<7
		if rest[1] < 0x80 && rest[1] != 0 {
			return low, at + 2
		}
		if rest[1] >= 0x80 && rest[2] < 0x80 && rest[2] != 0 {
			return low | uint64(rest[2])<<14, at + 3
		}
	}
	v, n := binary.Uvarint(rest)
	if n <= 0 || rest[n-1] == 0 {
		return 0, len(data) + 1
	}
	return v, at + n
}

// Varint reads a signed number, which must be in its shortest form.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Data[r.At:])
	if n <= 0 || (n > 1 && r.Data[r.At+n-1] == 0) {
		r.Bad = true
		return 0
	}
	r.At += n
	return v
}

// Bytes returns the next n bytes in place, or nil.
func (r *Reader) Bytes(n int) []byte {
	if n < 0 || n > len(r.Data)-r.At {
		r.Bad = true
		return nil
	}
	r.At += n
	return r.Data[r.At-n : r.At : r.At]
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Prefixed reads what AppendPrefixed wrote, in place.
func (r *Reader) Prefixed() []byte {
	n := r.Uvarint()
	if n > uint64(len(r.Data)) {
		r.Bad = true
		return nil
	}
	return r.Bytes(int(n))
}

// Count reads the number of elements that follow, of at least one byte each.
func (r *Reader) Count() uint64 {
	n := r.Uvarint()
	if n > uint64(len(r.Data)-r.At) {
		r.Bad = true
		return 0
	}
	return n
}

// AppendAbove0 appends a number at the end of a value, and nothing for 0.
func AppendAbove0(b []byte, n uint64) []byte {
	if n == 0 {
		return b
	}
	return binary.AppendUvarint(b, n)
}

// Above0 reads what AppendAbove0 wrote.
func (r *Reader) Above0() uint64 {
	if r.Bad || r.At == len(r.Data) {
		return 0
	}
	n := r.Uvarint()
	r.Bad = r.Bad || n == 0
	return n
}

// AppendPairs appends a sparse histogram: the number of entries, then for each
// the distance of N from the one before and the count.
func AppendPairs(b []byte, pairs []count.Pair) []byte {
	b = binary.AppendUvarint(b, uint64(len(pairs)))
	last := uint64(0)
	for _, p := range pairs {
		b = binary.AppendUvarint(b, p.N-last)
		b = binary.AppendUvarint(b, p.Count)
		last = p.N
	}
	return b
}

// Pairs reads what AppendPairs wrote. There is room for some that the tail of the log adds.
func (r *Reader) Pairs() []count.Pair {
	n := r.Count()
	pairs := make([]count.Pair, n, n+min(n, 32))
	last := uint64(0)
	for i := range pairs {
		last += r.Uvarint()
		pairs[i] = count.Pair{N: last, Count: r.Uvarint()}
	}
	return pairs
}

// SkipPairs passes over a histogram, and returns its bytes.
func (r *Reader) SkipPairs() []byte {
	start := r.At
	for range 2 * r.Count() {
		r.Uvarint()
	}
	return r.Data[start:r.At]
}

// AppendPrefixed appends the length of s, a uvarint, and s.
func AppendPrefixed[T ~string | ~[]byte](dst []byte, s T) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// AppendNumber appends x; -0 is 0.
func AppendNumber(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x+0))
}

// Number reads what AppendNumber wrote.
func (r *Reader) Number() float64 {
	b := r.Bytes(8)
	if b == nil {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(b))
	r.Bad = r.Bad || x == 0 && math.Signbit(x)
	return x
}

// AppendCRC ends a value with a CRC-32C of its key and itself, so that a value under a
// wrong key is detected.
func AppendCRC(b, key []byte) []byte {
	sum := Sum(Checksum(key), b)
	return binary.LittleEndian.AppendUint32(b, sum)
}

// CheckCRC returns b without its checksum, or nil if the checksum is wrong.
func CheckCRC(b, key []byte) []byte {
	n := len(b) - 4
	if n < 0 || binary.LittleEndian.Uint32(b[n:]) != Sum(Checksum(key), b[:n]) {
		return nil
	}
	return b[:n]
}

// AppendExact appends a to dst; see FORMAT.md, "exact".
func AppendExact(dst []byte, a count.Exact) []byte {
	m, e := a.Parts()
	if m == nil {
		return append(dst, 0)
	}
	digits := m.Bytes()
	sign := uint64(0)
	if m.Sign() < 0 {
		sign = 1
	}
	dst = binary.AppendUvarint(dst, uint64(len(digits))<<1|sign)
	dst = append(dst, digits...)
	return binary.AppendVarint(dst, int64(e))
}

// Exact reads what AppendExact wrote, and nothing else.
func (r *Reader) Exact() count.Exact {
	head := r.Uvarint()
	if head == 0 {
		return count.Exact{}
	}
	digits := r.Bytes(int(min(head>>1, 1<<10)))
	e := r.Varint()
	n := len(digits)
	if r.Bad || n == 0 || digits[0] == 0 || digits[n-1]&1 == 0 || e < math.MinInt32 || e > math.MaxInt32 {
		r.Bad = true
		return count.Exact{}
	}
	m := new(big.Int).SetBytes(digits)
	if head&1 > 0 {
		m.Neg(m)
	}
	a := count.NewExact(m, int(e))
	r.Bad = r.Bad || !a.InBounds()
	return a
}
