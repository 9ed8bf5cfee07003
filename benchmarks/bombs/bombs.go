// Package bombs reads inputs that are made to exhaust their reader, at two lengths by
// turns, and writes a table of the time and memory per byte of each and their growth with
// the length. Time is CPU time of the process, the least of the rounds. Memory is the peak
// of a process that reads the longer input once, minus the input and the process's own.
package bombs

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// few is the length of a bomb that takes hardly any memory.
const few = 1 << 10

// Run is the measure.
func Run(_ context.Context, args []string) {
	f := harness.Flags("bombs [flags]")
	size := f.Float64("size", 8, "half the length of the longer inputs, in MB")
	rounds := f.Int("rounds", 3, "times to read each input")
	only := f.String("only", "", "readers and bombs whose names have this `text` alone")
	every := f.Bool("every", false, "write a line for each bomb too")
	name := f.String("once", "", "read the bomb of that `name` once and write the memory that it took, in KB")
	bytes := f.Int("bytes", few, "its length")
	harness.Parse(f, args, 0, 0)
	withReaders(func(all []reader) {
		if *name != "" {
			once(all, *name, *bytes)
			return
		}
		harness.Head("read as", "bombs", "ns a byte", "of", "growth", "of", "memory a byte", "of")
		for _, r := range all {
			report(r, int(*size*(1<<20)), *rounds, *only, *every)
		}
	})
}

// worst is the largest figure so far, and its bomb.
type worst struct {
	figure float64
	name   string
}

func (w *worst) take(figure float64, name string) {
	if figure > w.figure {
		*w = worst{figure, name}
	}
}

// cached is the least nanoseconds per byte for which the growth says something about the
// program: bytes that are only skipped take as long as memory does, which is slower when
// the longer input no longer fits the processor's cache.
const cached = 10

// report writes the greatest cost of the bombs for r.
func report(r reader, size, rounds int, only string, every bool) {
	var time, growth, memory worst
	bombs := 0
	for _, x := range r.bombs {
		if !strings.Contains(r.name+": "+x.name, only) {
			continue
		}
		bombs++
		nanoseconds, grows := measure(x, r.read, size, rounds)
		held := math.Max(0, resident(r, x, 2*size)-resident(r, x, few)-float64(2*size-few)) / float64(2*size)
		if every {
			fmt.Fprintf(os.Stderr, "%7.1f ns a byte, growth %5.2f, %6.2f bytes of memory a byte: %s, %s\n", nanoseconds, grows, held, r.name, x.name)
		}
		time.take(nanoseconds, x.name)
		if nanoseconds > cached {
			growth.take(grows, x.name)
		}
		memory.take(held, x.name)
	}
	if bombs > 0 {
		harness.Row(r.name, bombs, harness.Number(time.figure, 0), time.name, harness.Number(growth.figure, 1), growth.name, harness.Number(memory.figure, 1), memory.name)
	}
}

// measure reads a bomb of n and of 2n bytes by turns and takes the least time of each: the
// nanoseconds for a byte of the longer, and the growth of the time where the length doubles.
func measure(x bomb, read func([]byte), n, rounds int) (nanoseconds, growth float64) {
	short, long := x.make(n), x.make(2*n)
	one, two := took(read, short), took(read, long)
	for range rounds - 1 {
		one, two = math.Min(one, took(read, short)), math.Min(two, took(read, long))
	}
	return two / float64(len(long)), two / one
}

// least is the least number of nanoseconds measured at once.
const least = 2e6

// took returns the nanoseconds of CPU time to read raw. It repeats reads that are too
// short for the clock.
func took(read func([]byte), raw []byte) float64 {
	for n := 1; ; n *= 4 {
		start := harness.CPU()
		for range n {
			read(raw)
		}
		if t := float64(harness.CPU() - start); t >= least || start == 0 {
			return t / float64(n)
		}
	}
}

// resident returns the bytes of memory that a process takes to read a bomb of n bytes.
func resident(r reader, x bomb, n int) float64 {
	child := exec.Command(harness.Must(os.Executable()), "bombs", "-once", r.name+": "+x.name, "-bytes", fmt.Sprint(n))
	child.Stderr = os.Stderr
	written, err := child.Output()
	kilobytes, unread := strconv.ParseFloat(strings.TrimSpace(string(written)), 64)
	if err != nil || unread != nil {
		return math.NaN()
	}
	return kilobytes * 1024
}

// once reads the bomb of that name and writes the peak memory of this process in kilobytes
// according to Linux: the figure that the parent would get includes the parent's own memory.
func once(all []reader, name string, n int) {
	for _, r := range all {
		for _, x := range r.bombs {
			if r.name+": "+x.name == name {
				r.read(x.make(n))
				fmt.Println(harness.Status(os.Getpid(), "VmHWM") >> 10)
				return
			}
		}
	}
	harness.Failf("no bomb %q", name)
}
