package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// line is a process's output for a trial.
type line struct {
	Trial    int
	Kind     string
	Reported string
	Older    bool
	What     string
	Bad      string
}

func print(l line) {
	b, err := json.Marshal(l)
	if err != nil {
		fatal(err)
	}
	os.Stdout.Write(append(b, '\n'))
}

// share is the number of trials per process: resources that bbolt keeps after a panic are
// freed with the process.
const share = 2000

// runAll runs the trials in processes, so that one that dies does not stop the others.
func runAll(o *options, table *table) {
	starts := make(chan int)
	var group sync.WaitGroup
	for range o.jobs {
		group.Go(func() {
			for first := range starts {
				runShare(o, first, min(share, o.first+o.trials-first), table)
			}
		})
	}
	for first := o.first; first < o.first+o.trials; first += share {
		starts <- first
	}
	close(starts)
	group.Wait()
}

// cannotBegin is the prefix of every line of fatal.
const cannotBegin = "rot: "

// runShare runs trials in one process, and continues in others after the trial at which
// it died.
func runShare(o *options, first, count int, table *table) {
	for end := first + count; first < end; {
		next, died := runProcess(o, first, end-first, table)
		if strings.Contains(died, cannotBegin) {
			fatal(errors.New(died))
		}
		if died != "" && next < end {
			table.add(line{Trial: next, Kind: "?", Bad: "the process died: " + died})
			next++
		}
		first = next
	}
}

// runProcess returns the number of the next trial, and why the process did not reach it.
func runProcess(o *options, first, count int, table *table) (next int, died string) {
	self, err := os.Executable()
	if err != nil {
		fatal(err)
	}
	cmd := exec.Command(self, "-child", "-first", strconv.Itoa(first), "-trials", strconv.Itoa(count),
		"-seed", strconv.FormatUint(o.seed, 10), "-scratch", o.scratch)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fatal(err)
	}
	next = first
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<20)
	hung := false
	for scanner.Scan() {
		var l line
		if err := json.Unmarshal(scanner.Bytes(), &l); err != nil {
			fatal(err)
		}
		table.add(l)
		if o.verbose {
			fmt.Printf("%d %s, %s%s %s\n", l.Trial, l.Kind, l.What, l.Reported, l.Bad)
		}
		next, hung = l.Trial+1, strings.HasPrefix(l.Bad, "hang")
	}
	io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil && !hung {
		text := strings.TrimSpace(said.String())
		return next, fmt.Sprintf("%v: %.2000s", err, text)
	}
	return next, ""
}
