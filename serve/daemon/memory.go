package daemon

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/polya-classifier/polya/serve/internal/gate"
)

// excerpt is how many bytes of a message milters and scripts keep: more than mail servers accept.
const excerpt = 16 << 20

const (
	// checkMemory is how often the memory of the process is looked at.
	checkMemory = 10 * time.Second
	// leastHeap is what the heap may have beside messages, to learn and to fit models.
	leastHeap = 128 << 20
	// leastGarbage is as much garbage as is worth a collection.
	leastGarbage = 32 << 20
)

func (d *Daemon) boundMemory(ctx context.Context) { boundMemory(ctx, d.memory, time.Tick(checkMemory)) }

// boundMemory keeps the memory of the process near that of databases and messages, at which it looks
// now and then until ctx ends. Unless GOMEMLIMIT says when, garbage is collected before a burst of
// messages has made more of it than the messages may have; and what a burst has left is collected and
// given back to the system as soon as nothing else collects it: without work the runtime keeps it.
func boundMemory(ctx context.Context, messages *gate.Memory, look <-chan time.Time) {
	ours := debug.SetMemoryLimit(-1) == math.MaxInt64
	if ours {
		defer debug.SetMemoryLimit(math.MaxInt64)
	}
	var before, released heap
	for {
		now := heapNow()
		used, limit := messages.Used()
		if now.messages = used; ours {
			// Databases may have as much garbage beside them as the runtime allows anyway.
			debug.SetMemoryLimit(limit + max(leastHeap, 3*(now.live-used)))
		}
		garbage := max(now.allocated-released.allocated, released.messages-used)
		if now.collected == before.collected && garbage > max(leastGarbage, now.live/4) {
			debug.FreeOSMemory()
			released = heapNow()
			released.messages = used
		}
		before = now
		select {
		case <-look:
		case <-ctx.Done():
			return
		}
	}
}

// heap is the state of the heap: the number of garbage collections, the bytes of the objects that
// were in use at the last one, all that were ever allocated, and those of messages.
type heap struct{ collected, live, allocated, messages int64 }

func heapNow() heap {
	s := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	n := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	return heap{collected: n(0), live: n(1), allocated: n(2)}
}
