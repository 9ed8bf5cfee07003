// Package memory says when a command collects garbage: seldom, as it is over soon, and often
// where memory is short.
package memory

import (
	"os"
	"runtime/debug"
)

// CollectLater lets the memory grow before garbage is collected: a message is answered
// before the first collection would be due.
func CollectLater() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
