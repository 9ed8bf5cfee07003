package wire

import (
	"testing"

	"github.com/polya-classifier/polya/store/count"
)

// A database may have a hundred thousand classes of one document.
func TestSmallHistogramsAreSmall(t *testing.T) {
	r := Reader{Data: AppendPairs(nil, []count.Pair{{N: 3, Count: 1}})}
	if pairs := r.Pairs(); r.Bad || len(pairs) != 1 || cap(pairs) > 4 {
		t.Errorf("%v, room for %d", pairs, cap(pairs))
	}
}
