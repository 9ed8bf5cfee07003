package harness

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ThreadCPU returns the CPU time of this thread so far.
func ThreadCPU() time.Duration { return used(syscall.RUSAGE_THREAD) }

// Cost is the cost of processes.
type Cost struct {
	CPU    time.Duration // user and system, with the children they waited for
	Memory int64         // greatest resident memory of one process, bytes
}

// Add adds what ran after it.
func (c *Cost) Add(other Cost) {
	c.CPU, c.Memory = c.CPU+other.CPU, max(c.Memory, other.Memory)
}

// Run runs a process to its end, in a folder and with an environment. Its standard input is a file,
// which unlike a pipe does not make it wait for us, or empty without a path. Exit codes in ok are no
// errors.
func Run(ctx context.Context, dir string, env []string, ok []int, stdin string, argv ...string) (out []byte, spent Cost, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint
	input, err := os.Open(cmp.Or(stdin, os.DevNull))
	if err != nil {
		return nil, spent, err
	}
	defer input.Close()
	cmd.Stdin = input
	if err := cmd.Start(); err != nil {
		return nil, spent, err
	}
	done, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- watch(cmd.Process.Pid, done) }()
	err = cmd.Wait()
	close(done)
	spent.CPU, spent.Memory = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), <-peak
	if err != nil && (ctx.Err() != nil || !slices.Contains(ok, cmd.ProcessState.ExitCode())) {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return nil, spent, fmt.Errorf("%s: %w: %s", argv[0], errors.Join(ctx.Err(), err), lines[len(lines)-1])
	}
	return said.Bytes(), spent, nil
}

// watch returns the greatest resident memory seen of a process until done is closed. The
// ru_maxrss of wait4 counts our own memory, until the exec.
func watch(pid int, done <-chan struct{}) (peak int64) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak
		case <-tick.C:
			peak = max(peak, Status(pid, "VmHWM"))
		}
	}
}

// clockTick is the unit of CPU time in /proc: USER_HZ, 100 a second on nearly every
// architecture.
const clockTick = 10 * time.Millisecond

// Stat is a process and its CPU time, with the children that it waited for.
type Stat struct {
	PID, Parent int
	CPU         time.Duration
}

// parseStat reads /proc/PID/stat, proc_pid_stat(5): the name in parentheses may hold
// blanks and parentheses itself, and utime, stime, cutime, cstime are fields 14 to 17.
func parseStat(line string) (s Stat, ok bool) {
	end := strings.LastIndexByte(line, ')')
	fields := strings.Fields(line[end+1:])
	if end < 0 || len(fields) < 15 {
		return s, false
	}
	s.PID, _ = strconv.Atoi(strings.Fields(line)[0])
	s.Parent, _ = strconv.Atoi(fields[1])
	for _, field := range fields[11:15] {
		ticks, _ := strconv.ParseInt(field, 10, 64)
		s.CPU += time.Duration(ticks) * clockTick
	}
	return s, s.PID > 0
}

// Family returns processes and their descendants.
func Family(roots ...int) (list []Stat) {
	entries, _ := os.ReadDir("/proc")
	children := map[int][]Stat{}
	for _, entry := range entries {
		if line, err := os.ReadFile("/proc/" + entry.Name() + "/stat"); err == nil {
			if s, ok := parseStat(string(line)); ok {
				children[s.Parent] = append(children[s.Parent], s)
				if slices.Contains(roots, s.PID) {
					list = append(list, s)
				}
			}
		}
	}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i].PID]...)
	}
	return list
}

// TreeCost returns the CPU time of processes and their descendants so far, and the sum of
// their shares of memory: a sum of peaks would count pages several times.
func TreeCost(roots ...int) (c Cost) {
	for _, s := range Family(roots...) {
		c.CPU += s.CPU
		c.Memory += Status(s.PID, "Pss")
	}
	return c
}

// Load is the load average of the last minute.
func Load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
