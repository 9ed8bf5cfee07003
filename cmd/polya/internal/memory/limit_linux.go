package memory

import (
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
)

// Bound collects garbage earlier where the address space is limited, as mail
// servers limit that of the programs that they start. What the runtime has reserved
// already is no longer to be had, and files have to be mapped too.
func Bound() {
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
