package wire

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// The check value of the catalogue of parametrised CRC algorithms (CRC-32/ISCSI).
func TestCheckValue(t *testing.T) {
	for name, sum := range summers() {
		if got := sum(0, []byte("123456789")); got != 0xe3069283 {
			t.Errorf("%s: %08x", name, got)
		}
	}
}

// summers are the ways to sum that this processor has.
func summers() map[string]func(uint32, []byte) uint32 {
	all := map[string]func(uint32, []byte) uint32{"sum": Sum}
	if hasInstruction {
		all["instruction"] = instruction
	}
	return all
}

// Each way gives what hash/crc32 does, of any length, from any place, of data in two parts.
func TestWaysAreEqual(t *testing.T) {
	table := crc32.MakeTable(crc32.Castagnoli)
	random := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, 300)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	for name, sum := range summers() {
		for from := range 9 {
			for to := from; to <= len(data); to++ {
				cut := from + random.IntN(to-from+1)
				if got, want := sum(sum(0, data[from:cut]), data[cut:to]), crc32.Checksum(data[from:to], table); got != want {
					t.Fatalf("%s of %d to %d, cut at %d: %08x, want %08x", name, from, to, cut, got, want)
				}
			}
		}
	}
}
