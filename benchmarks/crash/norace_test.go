//go:build !race

package main

import "testing"

func skipRaced(*testing.T) {}
