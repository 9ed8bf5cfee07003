//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A cost is the cost of processes.
type cost struct {
	cpu    time.Duration // user and system, of the process and of the children it waited for
	wall   time.Duration // from before the start to after the end
	memory int64         // greatest resident memory of one process, bytes
}

func (c *cost) add(other cost) {
	c.cpu += other.cpu
	c.wall += other.wall
	c.memory = max(c.memory, other.memory)
}

// since returns the cost of a daemon between two measurements; the memory is from the second.
func (c cost) since(before cost) cost {
	return cost{cpu: c.cpu - before.cpu, wall: c.wall - before.wall, memory: c.memory}
}

// A session is one peer in one round: a private directory, which is also its home, and the
// cost of its processes since the last take.
type session struct {
	ctx     context.Context
	corpus  *corpus
	dir     string        // database, and nothing else
	home    string        // $HOME, configuration and scratch files
	timeout time.Duration // of one process
	spent   cost
	running *daemon // nil unless the peer has one
	litter  string  // an empty directory that the peer makes elsewhere, removed with the home
}

// take returns the cost since the last take.
func (s *session) take() cost {
	spent := s.spent
	s.spent = cost{}
	return spent
}

// A command is a process to run. Exit codes other than 0 are errors unless they are in ok.
type command struct {
	argv  []string
	stdin string // path of a file, empty for no input
	lines []string
	ok    []int
}

// run runs the command in the session's home and returns its standard output and its exit code.
func (s *session) run(c command) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = s.home, s.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	input, err := c.input()
	if err != nil {
		return nil, 0, err
	}
	if input != nil {
		defer input.Close()
		cmd.Stdin = input
	}
	spent, err := measure(cmd)
	s.spent.add(spent)
	if ctx.Err() != nil {
		return nil, 0, fmt.Errorf("%s: %w after %s", c.argv[0], ctx.Err(), s.timeout)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && slices.Contains(c.ok, exit.ExitCode()) {
		return out.Bytes(), exit.ExitCode(), nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %s", c.argv[0], err, lastLine(complaint.String()))
	}
	return out.Bytes(), 0, nil
}

// input opens the file that the process reads. Lines go through a file too: a pipe would
// make the process wait for us.
func (c command) input() (io.ReadCloser, error) {
	if c.lines == nil {
		if c.stdin == "" {
			return nil, nil
		}
		return os.Open(c.stdin)
	}
	file, err := os.CreateTemp("", "peers-input-")
	if err != nil {
		return nil, err
	}
	os.Remove(file.Name()) // it exists as long as it is open
	if _, err := file.WriteString(strings.Join(c.lines, "\n") + "\n"); err != nil {
		file.Close()
		return nil, err
	}
	_, err = file.Seek(0, io.SeekStart)
	return file, err
}

// environment returns the environment of a user with an empty home and the C locale, so
// that neither this machine's settings nor its language change an answer.
func (s *session) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "TMPDIR=" + os.TempDir(), "LC_ALL=C.UTF-8",
		"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
	}
}

// measure runs cmd to its end.
func measure(cmd *exec.Cmd) (cost, error) {
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return cost{}, err
	}
	done := make(chan struct{})
	peak := make(chan int64)
	go func() { peak <- watch(cmd.Process.Pid, done) }()
	err := cmd.Wait()
	wall := time.Since(start)
	close(done)
	seen := <-peak
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, errors.Join(err, errors.New("the system does not account for processes"))
	}
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	return cost{cpu: cpu, wall: wall, memory: peakMemory(int64(usage.Maxrss)<<10, seen)}, err
}

// peakMemory chooses between two figures. Linux includes in ru_maxrss the memory of the
// process that started this one, until its exec: if the figure is not above our own, only
// the observed peak is known.
func peakMemory(maxrss, seen int64) int64 {
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) == nil && maxrss > int64(own.Maxrss)<<10 {
		return maxrss
	}
	return seen
}

// watch returns the greatest resident memory seen of a process until done is closed.
func watch(pid int, done <-chan struct{}) int64 {
	var peak int64
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
			peak = max(peak, highWater(pid))
		}
	}
}

// batches cuts a list of arguments into lists that one command line can have.
func batches(list []string) [][]string {
	const most = 1 << 20 // bytes; Linux takes 2 MiB with the usual stack, environment included
	var cut [][]string
	start, size := 0, 0
	for i, s := range list {
		if size += len(s) + 9; size > most { // a NUL and a pointer each
			cut, start, size = append(cut, list[start:i]), i, len(s)+9
		}
	}
	return append(cut, list[start:])
}

// databaseSize returns the bytes of the files in the session's database directory,
// without Berkeley DB's shared regions (__db.001 …), which are memory in files.
func (s *session) databaseSize() (int64, error) {
	var sum int64
	err := filepath.WalkDir(s.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), "__db.") {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
