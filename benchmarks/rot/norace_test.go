//go:build !race

package rot_test

import "testing"

func skipRaced(*testing.T) {}
