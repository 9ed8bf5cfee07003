// Package memory says when a command collects garbage: seldom, as it is over soon, and often
// where memory is short.
package memory

import (
	"os"
	"runtime"
	"runtime/debug"
)

// CollectLater lets the memory grow before garbage is collected: a message is answered
// before the first collection would be due. Whatever takes longer collects more often from
// then on: learning thousands of messages takes two thirds of the memory, and no more time.
func CollectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400)
	first := new([64]byte) // a smaller one might share its memory with others that stay
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, 200)
}
