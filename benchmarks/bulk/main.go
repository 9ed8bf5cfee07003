//go:build linux

// Bulk measures three ways to learn many documents: one process of polya train, several
// in parallel whose databases polya merge adds, and polya-count.
//
//	go build -o /tmp/polya ./cmd/polya
//	GOWORK=off go -C cmd/polya-count build -o /tmp/polya-count .
//	go run ./benchmarks/bulk -polya /tmp/polya -count /tmp/polya-count -documents 1e6 -dir DIR
//
// The documents are drawn by package zipf and written as JSON lines, in -shares files;
// one in a thousand occurs twice. A table in Markdown goes to standard output. It fails
// unless the three dumps are the same, to the byte. It needs Linux.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/benchmarks/zipf"
)

type options struct {
	documents, shares, processes int
	polya, count, dir            string
}

func main() {
	o := options{documents: 100_000}
	flag.Func("documents", "learn `N` documents; 1e5 by default", func(s string) error {
		n, err := strconv.ParseFloat(s, 64)
		o.documents = int(n)
		return err
	})
	flag.IntVar(&o.shares, "shares", 16, "write them into `N` files")
	flag.IntVar(&o.processes, "processes", 2, "run `N` processes of polya train beside each other")
	flag.StringVar(&o.polya, "polya", "polya", "`PROGRAM` polya")
	flag.StringVar(&o.count, "count", "polya-count", "`PROGRAM` polya-count")
	flag.StringVar(&o.dir, "dir", "", "make the files in `DIR`; without it, in a temporary folder")
	flag.Parse()
	if err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bulk:", err)
		os.Exit(1)
	}
}

func (o *options) run() (err error) {
	if o.dir, err = os.MkdirTemp(o.dir, "bulk-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.dir)
	shares, size, err := o.write()
	if err != nil {
		return err
	}
	fmt.Printf("%d documents, %d MB, %d files\n\n| | CPU s | wall s | MB of memory, at most |\n| --- | --- | --- | --- |\n", o.documents, size>>20, len(shares))
	sums := map[string]bool{}
	for _, way := range []struct {
		name string
		do   func(database string, shares []string) (cost, error)
	}{
		{"`polya train`", o.train},
		{fmt.Sprintf("%d × `polya train --no-calibrate`, `polya merge`", o.processes), o.merge},
		{"`polya-count`", o.beam},
	} {
		database := filepath.Join(o.dir, "test.polya")
		began := time.Now()
		c, err := way.do(database, shares)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		fmt.Printf("| %s | %.0f | %.0f | %d |\n", way.name, c.cpu.Seconds(), time.Since(began).Seconds(), c.memory>>10)
		sum, err := o.dump(database)
		if err != nil {
			return err
		}
		sums[sum] = true
		os.Remove(database)
	}
	if len(sums) != 1 {
		return errors.New("the dumps differ")
	}
	return nil
}

// write writes the documents, and returns their size in bytes.
func (o *options) write() (paths []string, size int64, err error) {
	corpus := zipf.Corpus{Seed: 1, Classes: 20, Terms: 5_000_000}
	var d zipf.Document
	var text []byte
	for share := range o.shares {
		path := filepath.Join(o.dir, fmt.Sprintf("%03d.jsonl", share))
		f, err := os.Create(path)
		if err != nil {
			return nil, 0, err
		}
		w := bufio.NewWriter(f)
		for i := share * o.documents / o.shares; i < (share+1)*o.documents/o.shares; i++ {
			n := i
			if i%1000 == 999 {
				n = i / 2 // a document of another share
			}
			corpus.Draw(n, &d)
			text = d.AppendText(text[:0])
			line, _ := fmt.Fprintf(w, `{"id":"%d","class":"%s","text":%q}`+"\n", n, zipf.ClassName(d.Class), text)
			size += int64(line)
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			return nil, 0, err
		}
		paths = append(paths, path)
	}
	return paths, size, nil
}

// cost is the cost of processes.
type cost struct {
	cpu    time.Duration
	memory int64 // in KB, of those that ran at the same time
}

// start runs a program to its end.
func start(program string, args ...string) (cost, error) {
	cmd := exec.Command(program, args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return cost{}, fmt.Errorf("%s %q: %w: %.500s", program, args, err, out)
	}
	state := cmd.ProcessState
	return cost{state.UserTime() + state.SystemTime(), int64(state.SysUsage().(*syscall.Rusage).Maxrss)}, nil
}

func (o *options) train(database string, shares []string) (cost, error) {
	return start(o.polya, append([]string{"--db", database, "train", "--labelled"}, shares...)...)
}

func (o *options) beam(database string, shares []string) (cost, error) {
	return start(o.count, append([]string{"--db", database, "--labelled"}, shares...)...)
}

// merge trains a database for each share and adds them all to the first.
func (o *options) merge(database string, shares []string) (all cost, err error) {
	databases, costs, errs := make([]string, len(shares)), make([]cost, len(shares)), make([]error, len(shares))
	var wait sync.WaitGroup
	turns := make(chan bool, o.processes)
	for i, share := range shares {
		databases[i] = share + ".polya"
		turns <- true
		wait.Go(func() {
			costs[i], errs[i] = start(o.polya, "--db", databases[i], "train", "--jobs", "1", "--no-calibrate", "--labelled", share)
			<-turns
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return all, err
	}
	if err := os.Rename(databases[0], database); err != nil {
		return all, err
	}
	last, err := start(o.polya, append([]string{"--db", database, "merge"}, databases[1:]...)...)
	for _, c := range costs {
		all.cpu += c.cpu
		all.memory = max(all.memory, c.memory*int64(o.processes))
	}
	for _, path := range databases[1:] {
		os.Remove(path)
	}
	return cost{all.cpu + last.cpu, max(all.memory, last.memory)}, err
}

// dump returns a digest of the dump.
func (o *options) dump(database string) (string, error) {
	cmd := exec.Command(o.polya, "--db", database, "dump")
	sum := sha256.New()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_, err = io.Copy(sum, out)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, cmd.Wait())
}
