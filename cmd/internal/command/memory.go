package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// collectLater lets memory grow before the first garbage collection: one message is answered
// before that. Longer work collects after it whenever memory has grown by half and by
// untouched/2: learning 36,000 messages takes 130 MB, and 6,000 a twelfth less time than
// without that.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400)
	first := new([64]byte) // a smaller object might share its memory with others that stay
	// A cleanup would start a goroutine; one for finalizers runs already, for package os.
	runtime.SetFinalizer(first, func(*[64]byte) {
		if !memory.often.Load() {
			debug.SetGCPercent(50)
			memory.counted = make([]byte, untouched)
		}
	})
}

// untouched is the number of bytes that the garbage collector counts as memory in use, and
// that no page is taken for, since nothing is written to them.
const untouched = 32 << 20

var memory struct {
	often   atomic.Bool
	counted []byte
}

// CollectOften undoes collectLater, for a command that stays: it takes two thirds of the memory.
func CollectOften() {
	if os.Getenv("GOGC") == "" {
		memory.often.Store(true)
		debug.SetGCPercent(100)
	}
}
