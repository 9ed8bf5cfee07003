package wire

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/polya-classifier/polya/store/count"
)

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
