package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/crash/work"
)

// livesOfOne is the number of processes that use one file in turn.
const livesOfOne = 50

// kill runs and kills processes, each of which continues with the file of the last, and
// writes a row for each file.
func (o *options) kill(w io.Writer) (total tally, err error) {
	fmt.Fprintf(w, "\nkill -9\n\n| workload | kills | steps acknowledged | left over | at the kill | lost | doubled | half | damaged |\n|%s\n", strings.Repeat(" --- |", 9))
	for n := 0; total.opened < o.kills; n++ {
		s := series{model: work.NewModel(o.planOf(n)), during: map[string]int{}}
		s.job = work.Job{Plan: o.planOf(n), Folder: filepath.Join(o.dir, "killed"), Scratch: filepath.Join(o.dir, "scratch")}
		if err := s.run(min(livesOfOne, o.kills-total.opened)); err != nil {
			return total, err
		}
		f := &s.faults
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s | %d | %d | %d | %d |\n", s.job.Plan, s.opened, s.acked, s.leftOver, s.moments(),
			f[work.Lost], f[work.Doubled], f[work.Half], f[work.Damaged])
		total.add(s.tally)
	}
	return total, nil
}

// series is one file and the processes that used it.
type series struct {
	job   work.Job
	model *work.Model

	tally
	acked    int
	leftOver int            // files that killed processes did not remove
	during   map[string]int // what trainers were doing at the kill
}

func (s *series) run(lives int) error {
	for _, folder := range []string{s.job.Folder, s.job.Scratch} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	steps := make([]int, s.job.Plan.Trainers)
	for range lives {
		s.job.From = slices.Clone(steps)
		text, err := s.live()
		if err != nil {
			return err
		}
		if err := s.model.Acks(steps, text); err != nil {
			return err
		}
		s.acked += bytes.Count(text, []byte("\n"))
		s.model.Look(steps)
		for k, n := range steps {
			s.during[s.model.Next(k, n)]++
		}
		reached, err := s.model.Holds(s.job.Folder, steps, false)
		if err := s.see(err); err != nil {
			return err
		}
		if reached == nil {
			return nil // later results would mean nothing
		}
		steps = reached
		if err := s.sweep(); err != nil {
			return err
		}
	}
	return nil
}

// A process is killed after at most so many acknowledgements, and a random time: this
// hits short steps as often as long ones.
const (
	mostAcks  = 40
	mostDelay = 3 * time.Millisecond
	mostLife  = time.Minute
)

// live runs a process, kills it at any moment and returns what it has acknowledged.
func (s *series) live() ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = s.job.Environment()
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	acks, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	hung := time.AfterFunc(mostLife, func() { cmd.Process.Kill() })
	var text []byte
	lines := bufio.NewReader(acks)
	kill := func() { time.AfterFunc(rand.N(mostDelay), func() { cmd.Process.Kill() }) }
	n := rand.IntN(mostAcks)
	if n == 0 {
		kill()
	}
	for err == nil {
		var line []byte
		line, err = lines.ReadBytes('\n')
		text = append(text, line...)
		if n--; n == 0 {
			kill()
		}
	}
	var exit *exec.ExitError
	switch err := cmd.Wait(); {
	case !hung.Stop():
		return nil, fmt.Errorf("%s: it hung", s.job.Plan)
	case !errors.As(err, &exit) || exit.Exited():
		return nil, fmt.Errorf("%s: it ended before it was killed: %w: %.300s", s.job.Plan, err, complaints.Bytes())
	}
	return text, nil
}

// sweep removes the files that a compaction, a prune or a new file has left.
func (s *series) sweep() error {
	for _, pattern := range []string{"*.compact-*", "*.new-*"} {
		left, err := filepath.Glob(filepath.Join(s.job.Folder, pattern))
		if err != nil {
			return err
		}
		for _, name := range left {
			s.leftOver++
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *series) moments() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(s.during)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, s.during[name]))
	}
	return strings.Join(parts, ", ")
}
