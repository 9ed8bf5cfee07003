//go:build !race

package crash

import "testing"

func skipRaced(*testing.T) {}
