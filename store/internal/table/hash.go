package table

import (
	"encoding/binary"
	"math/bits"
)

// Key is the secret of the hash function, drawn at random for each file, so that nobody
// can choose terms with colliding hashes.
type Key [16]byte

// Hash returns SipHash-1-3 of term under key (Aumasson and Bernstein 2012,
// with one round per word and three at the end): its high bits choose the
// table, its low 32 bits the slot, and the byte above those the tag.
func (key *Key) Hash(term []byte) uint64 {
	v0, v1, v2, v3 := sipStart(binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]))
	n := len(term)
	for len(term) >= 8 {
		m := binary.LittleEndian.Uint64(term)
		v3 ^= m
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0 ^= m
		term = term[8:]
	}
	last := uint64(n) << 56
	for i, b := range term {
		last |= uint64(b) << (8 * i)
	}
	v3 ^= last
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0 ^= last
	v2 ^= 0xff
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	return v0 ^ v1 ^ v2 ^ v3
}

func sipStart(k0, k1 uint64) (v0, v1, v2, v3 uint64) {
	return k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}
