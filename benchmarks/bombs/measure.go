package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// cost is what reading a bomb costs.
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

// took is how many nanoseconds of CPU time it takes to read raw. What takes less than
// the clock can tell is read again.
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

// least is how many nanoseconds are measured at once.
const least = 2e6

// peak is how many bytes of memory a process of its own takes to read a bomb of n bytes
// once, without the bomb itself and what a process takes that reads one of a few bytes.
func peak(r reader, x bomb, n int) float64 {
	return math.Max(0, resident(r, x, n)-resident(r, x, few)-float64(n-few))
}

// few is the length of a bomb that takes no memory to speak of.
const few = 1 << 10

// resident is how many bytes of memory a process takes to read a bomb of n bytes.
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

// once reads the bomb of that name and writes how many kilobytes this process had at
// most, as Linux tells it: what it tells the parent counts the parent's own.
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
