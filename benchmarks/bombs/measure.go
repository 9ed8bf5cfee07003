package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// cost is the cost of reading a bomb.
type cost struct {
	nanoseconds float64 // for a byte of the longer input
	growth      float64 // of the time, where the length doubles
}

// measure reads a bomb of n and of 2n bytes by turns and takes the least time of each.
func measure(x bomb, read func([]byte), n, rounds int) cost {
	short, long := x.make(n), x.make(2*n)
	one, two := took(read, short), took(read, long)
	for range rounds - 1 {
		one, two = math.Min(one, took(read, short)), math.Min(two, took(read, long))
	}
	return cost{two / float64(len(long)), two / one}
}

// took returns the nanoseconds of CPU time to read raw. It repeats reads that are too
// short for the clock.
func took(read func([]byte), raw []byte) float64 {
	for n := 1; ; n *= 4 {
		start := cpuSeconds()
		for range n {
			read(raw)
		}
		if t := (cpuSeconds() - start) * 1e9; t >= least || math.IsNaN(t) {
			return t / float64(n)
		}
	}
}

// least is the least number of nanoseconds measured at once.
const least = 2e6

// peak returns the bytes of memory that a separate process takes to read a bomb of n bytes
// once, minus the bomb and the memory of a process that reads a bomb of a few bytes.
func peak(r reader, x bomb, n int) float64 {
	return math.Max(0, resident(r, x, n)-resident(r, x, few)-float64(n-few))
}

// few is the length of a bomb that takes hardly any memory.
const few = 1 << 10

// resident returns the bytes of memory that a process takes to read a bomb of n bytes.
func resident(r reader, x bomb, n int) float64 {
	self, err := os.Executable()
	if err != nil {
		return math.NaN()
	}
	child := exec.Command(self, "--once", r.name+": "+x.name, "--bytes", fmt.Sprint(n))
	child.Stderr = os.Stderr
	written, err := child.Output()
	if err != nil {
		return math.NaN()
	}
	kilobytes, err := strconv.ParseFloat(strings.TrimSpace(string(written)), 64)
	if err != nil {
		return math.NaN()
	}
	return kilobytes * 1024
}

// once reads the bomb of that name and writes the peak memory of this process in kilobytes
// according to Linux: the figure that the parent would get includes the parent's own memory.
func once(all []reader, name string, n int) error {
	for _, r := range all {
		for _, x := range r.bombs {
			if r.name+": "+x.name != name {
				continue
			}
			r.read(x.make(n))
			status, _ := os.ReadFile("/proc/self/status")
			_, most, _ := strings.Cut(string(status), "VmHWM:")
			most, _, _ = strings.Cut(most, "kB")
			fmt.Println(most)
			return nil
		}
	}
	return fmt.Errorf("no bomb %q", name)
}
