package store

import (
	"encoding/binary"
	"github.com/polya-classifier/polya/store/count"
	"math"
	"math/big"
)

// appendExact appends a to dst; see FORMAT.md, "exact".
func appendExact(dst []byte, a count.Exact) []byte {
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

// exact reads what appendExact wrote, and nothing else.
func (r *reader) exact() count.Exact {
	head := r.uvarint()
	if head == 0 {
		return count.Exact{}
	}
	digits := r.bytes(int(min(head>>1, 1<<10)))
	e := r.varint()
	n := len(digits)
	if r.bad || n == 0 || digits[0] == 0 || digits[n-1]&1 == 0 || e < math.MinInt32 || e > math.MaxInt32 {
		r.bad = true
		return count.Exact{}
	}
	m := new(big.Int).SetBytes(digits)
	if head&1 > 0 {
		m.Neg(m)
	}
	a := count.NewExact(m, int(e))
	r.bad = r.bad || !a.InBounds()
	return a
}

// skipExact passes over what appendExact wrote.
func (r *reader) skipExact() {
	if head := r.uvarint(); head > 0 {
		r.bytes(int(min(head>>1, 1<<10)))
		r.varint()
	}
}
