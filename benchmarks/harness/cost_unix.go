//go:build unix

package harness

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
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

// Status returns the bytes of a line as "VmHWM:     2048 kB" of /proc/PID/status, or of
// smaps_rollup; 0 if there is none.
func Status(pid int, name string) int64 {
	for _, file := range []string{"status", "smaps_rollup"} {
		data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		if kilobytes := field(data, name); kilobytes > 0 {
			return kilobytes << 10
		}
	}
	return 0
}

func field(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
	fields := strings.Fields(string(rest[:min(len(rest), 64)]))
	if len(fields) == 0 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[0], 10, 64)
	return n
}
