//go:build !unix

package main

import "math"

// cpuSeconds is not measured here.
func cpuSeconds() float64 { return math.NaN() }
