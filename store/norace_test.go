//go:build !race

package store

import "testing"

func skipRaced(*testing.T) {}
