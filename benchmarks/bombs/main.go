package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	size := flag.Float64("size", 8, "half the length of the longer inputs, in MB")
	rounds := flag.Int("rounds", 3, "times to read each input")
	only := flag.String("only", "", "readers and bombs whose names have this `text` alone")
	every := flag.Bool("every", false, "write a line for each bomb too")
	name := flag.String("once", "", "read the bomb of that `name` once and write the memory that it took, in KB")
	bytes := flag.Int("bytes", few, "its length")
	flag.Parse()
	err := withReaders(func(all []reader) error {
		if *name != "" {
			return once(all, *name, *bytes)
		}
		fmt.Println("| read as | bombs | ns a byte | of | growth | of | memory a byte | of |")
		fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- |")
		for _, r := range all {
			report(r, int(*size*(1<<20)), *rounds, *only, *every)
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bombs:", err)
		os.Exit(1)
	}
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

// report writes the greatest cost of the bombs for r.
func report(r reader, size, rounds int, only string, every bool) {
	var time, growth, memory worst
	bombs := 0
	for _, x := range r.bombs {
		if !strings.Contains(r.name+": "+x.name, only) {
			continue
		}
		bombs++
		c := measure(x, r.read, size, rounds)
		held := peak(r, x, 2*size) / float64(2*size)
		if every {
			fmt.Fprintf(os.Stderr, "%7.1f ns a byte, growth %5.2f, %6.2f bytes of memory a byte: %s, %s\n", c.nanoseconds, c.growth, held, r.name, x.name)
		}
		time.take(c.nanoseconds, x.name)
		if c.nanoseconds > cached {
			growth.take(c.growth, x.name)
		}
		memory.take(held, x.name)
	}
	if bombs > 0 {
		fmt.Printf("| %s | %d | %.0f | %s | %.1f | %s | %.1f | %s |\n", r.name, bombs, time.figure, time.name, growth.figure, growth.name, memory.figure, memory.name)
	}
}

// cached is the least nanoseconds per byte for which the growth says something about the
// program: bytes that are only skipped take as long as memory does, which is slower when
// the longer input no longer fits the processor's cache.
const cached = 10
