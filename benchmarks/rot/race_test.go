//go:build race

package rot_test

import "testing"

// skipRaced leaves out a test in which one goroutine works.
func skipRaced(t *testing.T) { t.Skip("runs without the race detector") }
