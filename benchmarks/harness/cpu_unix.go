//go:build unix

package harness

import (
	"syscall"
	"time"
)

// CPU returns the CPU time, user and system, of this process so far.
func CPU() time.Duration { return used(syscall.RUSAGE_SELF) }

// ChildrenCPU returns that of the processes that this one has waited for.
func ChildrenCPU() time.Duration { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
