//go:build race

package crash

import "testing"

// skipRaced leaves out what is recorded call by call.
func skipRaced(t *testing.T) { t.Skip("recorded without the race detector") }
