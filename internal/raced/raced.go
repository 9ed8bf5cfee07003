// Package raced tells tests of the race detector.
package raced

import (
	"runtime/debug"
	"slices"
	"testing"
)

// On reports whether the program was built with the race detector.
func On() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Skip leaves out a test in which one goroutine works, or other processes do, so that the race detector
// has nothing to find and takes up to ten times as long to say so; and one that records a process
// call by call. test.sh runs these without it.
func Skip(t *testing.T) {
	t.Helper()
	if On() {
		t.Skip("runs without the race detector")
	}
}
