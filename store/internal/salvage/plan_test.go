package salvage

import (
	"math"
	"testing"
)

// TestTableOverlap keeps a table whose bytes are sound from answering for
// hashes that another, lost one had.
func TestTableOverlap(t *testing.T) {
	t.Parallel()
	var k Plan
	k.lost = []span{{5, 9}, {20, math.MaxUint64}}
	for hash, want := range map[uint64]bool{0: false, 4: false, 5: true, 9: true, 10: false, 19: false, 20: true, math.MaxUint64: true} {
		if k.isLost(hash) != want {
			t.Errorf("hash %d is lost: %v", hash, !want)
		}
	}
}
