package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// collectLater lets memory grow before the first garbage collection: one message is answered
// before that. Longer work collects more often after it: learning thousands of messages
// takes half of the memory, and hardly more time.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400)
	first := new([64]byte) // a smaller object might share its memory with others that stay
	// A cleanup would start a goroutine; one for finalizers runs already, for package os.
	runtime.SetFinalizer(first, func(*[64]byte) {
		if !often.Load() {
			debug.SetGCPercent(100)
		}
	})
}

var often atomic.Bool

// CollectOften undoes collectLater, for a command that stays: it takes two thirds of the memory.
func CollectOften() {
	if os.Getenv("GOGC") == "" {
		often.Store(true)
		debug.SetGCPercent(100)
	}
}
