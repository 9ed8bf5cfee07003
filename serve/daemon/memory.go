package daemon

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
)

// excerpt is the number of bytes of a message that milters and scripts keep; they skip the
// rest. It is more than mail servers accept.
const excerpt = 16 << 20

const (
	// checkMemory is how often the memory of the process is looked at.
	checkMemory = 10 * time.Second
	// leastHeap is what the heap may have beside messages: enough to learn and to fit models
	// without collecting garbage all the time.
	leastHeap = 128 << 20
)

// boundMemory keeps the memory of the process near that of databases and messages, at which it looks
// now and then until ctx ends.
// Unless GOMEMLIMIT says when, garbage is collected before a burst of messages has made more of it
// than the messages may have; and what a burst has left is given back to the system as soon as no
// more garbage is collected: without work the runtime keeps it.
func boundMemory(ctx context.Context, messages *gate.Memory, look <-chan time.Time) {
	ours := debug.SetMemoryLimit(-1) == math.MaxInt64
	if ours {
		defer debug.SetMemoryLimit(math.MaxInt64)
	}
	for before, released := uint64(0), uint64(0); ; {
		collected, live := heap()
		if used, limit := messages.Used(); ours {
			// Databases may have as much garbage beside them as the runtime allows anyway.
			debug.SetMemoryLimit(limit + max(leastHeap, 3*(live-used)))
		}
		if collected == before && collected != released {
			debug.FreeOSMemory()
			released, _ = heap()
		}
		before = collected
		select {
		case <-look:
		case <-ctx.Done():
			return
		}
	}
}

// heap returns the number of garbage collections, and the bytes of the objects that were in use at
// the last one.
func heap() (collected uint64, live int64) {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), int64(s[1].Value.Uint64())
}
