//go:build !unix

package harness

import "time"

// CPU is not measured here.
func CPU() time.Duration { return 0 }

// ChildrenCPU is not measured here.
func ChildrenCPU() time.Duration { return 0 }
