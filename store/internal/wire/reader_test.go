package wire

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// SkipPairs passes over what Pairs reads, and refuses what Pairs refuses and numbers of ten bytes.
func TestSkipPairs(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		pairs := make([]count.Pair, r.IntN(5))
		last := uint64(0)
		for i := range pairs {
			last += 1 + r.Uint64N(1<<r.IntN(32))
			pairs[i] = count.Pair{N: last, Count: r.Uint64() >> r.IntN(64) >> 1}
		}
		data := append(AppendPairs(nil, pairs), 1, 0x80, 3)
		whole := r.IntN(2) == 0
		if !whole {
			data[r.IntN(len(data))] = byte(r.Uint32())
			data = data[:r.IntN(len(data)+1)]
		}
		all, some := Reader{Data: data}, Reader{Data: data}
		all.Pairs()
		got := some.SkipPairs()
		if !all.Bad && !some.Bad && (all.At != some.At || !bytes.HasSuffix(data[:some.At], got)) || all.Bad && !some.Bad {
			t.Fatalf("%x: Pairs ends at %d (bad: %v), SkipPairs at %d (bad: %v)", data, all.At, all.Bad, some.At, some.Bad)
		}
		if whole && some.Bad {
			t.Fatalf("%x: it is refused", data)
		}
	}
	long := append([]byte{1, 1}, binary.AppendUvarint(nil, 1<<63)...)
	if s := (Reader{Data: long}); s.SkipPairs() != nil || !s.Bad {
		t.Error("a number of ten bytes is passed over")
	}
}
