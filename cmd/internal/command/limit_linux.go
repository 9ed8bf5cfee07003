package command

import (
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
)

// boundMemory collects garbage earlier if the address space is limited, as mail servers do for
// programs that they start. The runtime's reservations and mapped files count against the
// limit too.
func boundMemory() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > math.MaxInt64/2 || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	first, _, _ := bytes.Cut(data, []byte(" "))
	pages, err := strconv.ParseInt(string(first), 10, 64)
	if err != nil {
		return
	}
	free := int64(limit.Cur) - pages*int64(os.Getpagesize())
	debug.SetMemoryLimit(max(free/2, leastMemory))
}

// leastMemory is a limit below which collecting garbage takes more time than it saves
// memory.
const leastMemory = 16 << 20
