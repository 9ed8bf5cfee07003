package crc32c

import (
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

// Of short and long data, in one piece or two, before and after the tables of
// hash/crc32 are made, the sum is the one of hash/crc32.
func TestSameAsHashCRC32(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := crc32.MakeTable(crc32.Castagnoli)
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	before := 0
	for range 1000 {
		from := random.IntN(64)
		to := from + random.IntN(len(data)-from)
		piece := data[from:to]
		if many.Load() == nil {
			before++
		}
		want := crc32.Checksum(piece, table)
		cut := random.IntN(len(piece) + 1)
		if got := Checksum(piece); got != want {
			t.Fatalf("%d bytes: %08x, want %08x", len(piece), got, want)
		}
		if got := Update(Checksum(piece[:cut]), piece[cut:]); got != want {
			t.Fatalf("%d and %d bytes: %08x, want %08x", cut, len(piece)-cut, got, want)
		}
	}
	if before < 20 || before == 1000 {
		t.Errorf("the tables were made after %d checksums", before)
	}
}

// The check value of the catalogue of parametrised CRC algorithms (CRC-32/ISCSI).
func TestCheckValue(t *testing.T) {
	once.Do(fill)
	if got := update(0, []byte("123456789")); got != 0xe3069283 {
		t.Errorf("%08x", got)
	}
}
