//go:build race

package store

import "testing"

// skipRaced leaves out a test in which one goroutine works, so that the race detector
// has nothing to find and takes ten times as long to say so, or whose process is
// recorded call by call. test.sh runs these without it.
func skipRaced(t *testing.T) { t.Skip("runs without the race detector") }
