//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// series holds the cost of each step: wall time, and the CPU time of its thread, empty if
// there are many callers.
type series struct {
	name         string
	wall, thread []time.Duration
}

// shown are the quantiles in the table.
var shown = []float64{.5, .99, .999, 1}

const head = `| | a second | wall ms: p50 | p99 | p99.9 | longest | own thread's CPU ms: p50 | p99 | p99.9 | longest | process's CPU ms each | load average |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`

// measure runs the steps 0 to n-1 from callers goroutines, and prints a row of the table.
func measure(name string, n, callers int, step func(i int) error) (series, error) {
	s := series{name, make([]time.Duration, n), make([]time.Duration, n)}
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	start, began := cpu(syscall.RUSAGE_SELF), time.Now()
	for range callers {
		all.Go(func() {
			if callers == 1 { // many would wait for threads, and not for each other
				runtime.LockOSThread() // and never unlocked: it ends with the caller
			}
			for i := int(next.Add(1)) - 1; i < n && failed.Load() == nil; i = int(next.Add(1)) - 1 {
				own, began := cpu(syscall.RUSAGE_THREAD), time.Now()
				if err := step(i); err != nil {
					failed.Store(&err)
				}
				s.wall[i], s.thread[i] = time.Since(began), cpu(syscall.RUSAGE_THREAD)-own
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return s, *err
	}
	took, spent := time.Since(began), cpu(syscall.RUSAGE_SELF)-start
	load, _ := os.ReadFile("/proc/loadavg")
	own := strings.Repeat(" – |", len(shown))
	if callers == 1 {
		own = quantiles(s.thread)
	}
	fmt.Printf("| %s | %.0f |%s%s %.3f | %s |\n", name, float64(n)/took.Seconds(), quantiles(s.wall), own,
		milliseconds(spent)/float64(n), strings.Fields(string(load) + " –")[0])
	return s, nil
}

func quantiles(times []time.Duration) (row string) {
	sorted := slices.Sorted(slices.Values(times))
	for _, q := range shown {
		row += fmt.Sprintf(" %.3g |", milliseconds(sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]))
	}
	return row
}

// cpu returns the CPU time, user and system, of this process or thread so far.
func cpu(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// write appends 1 KB to f and waits until it is on disk.
func write(f *os.File, i int64) error {
	if _, err := f.WriteAt(make([]byte, 1<<10), i<<10); err != nil {
		return err
	}
	return syscall.Fdatasync(int(f.Fd()))
}
