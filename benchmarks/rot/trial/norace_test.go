//go:build !race

package trial_test

import "testing"

func skipRaced(*testing.T) {}
