//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clockTick is the unit of CPU time in /proc on all but a few old architectures.
const clockTick = 10 * time.Millisecond

// cpu returns the CPU time, user and system, of processes, their descendants, and the
// children that they waited for.
func cpu(roots ...int) time.Duration {
	type process struct {
		pid   int
		spent time.Duration
	}
	children := map[int][]process{}
	var list []process
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold blanks and parentheses.
		fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:]))
		if len(fields) < 15 {
			continue
		}
		p := process{pid: pid}
		for _, field := range fields[11:15] {
			ticks, _ := strconv.ParseInt(field, 10, 64)
			p.spent += time.Duration(ticks) * clockTick
		}
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], p)
		for _, root := range roots {
			if root == pid {
				list = append(list, p)
			}
		}
	}
	var sum time.Duration
	for i := 0; i < len(list); i++ {
		sum += list[i].spent
		list = append(list, children[list[i].pid]...)
	}
	return sum
}

// own returns the CPU time of this process.
func own() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// machine returns the CPU time of the machine since its start: the time used or taken by
// its host, and the total.
func machine() (busy, all time.Duration) {
	data, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(data), "\n")
	for i, field := range strings.Fields(line) {
		if i == 0 || i > 8 { // the name; guests, who are counted as users
			continue
		}
		ticks, _ := strconv.ParseInt(field, 10, 64)
		all += time.Duration(ticks) * clockTick
		if i != 4 && i != 5 { // idle and waiting
			busy += time.Duration(ticks) * clockTick
		}
	}
	return busy, all
}

func loadAverage() string {
	data, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// A span is the cost of a part of a measurement.
type span struct {
	pids                  []int
	start                 time.Time
	server, us, busy, all time.Duration // as they were
	wall, spent, client   time.Duration // of the server and of this process
	others                float64       // the share of the machine that others had
}

// watch begins a span; the server may consist of several processes.
func watch(pids ...int) *span {
	s := &span{pids: pids, start: time.Now(), server: cpu(pids...), us: own()}
	s.busy, s.all = machine()
	return s
}

func (s *span) end() *span {
	s.wall = time.Since(s.start)
	s.spent, s.client = cpu(s.pids...)-s.server, own()-s.us
	busy, all := machine()
	if all > s.all {
		s.others = max(0, float64(busy-s.busy-s.spent-s.client)/float64(all-s.all))
	}
	return s
}

// state is the resources that a process uses.
type state struct {
	memory, peak float64 // resident, MB
	descriptors  int
	threads      int
}

func stateOf(pid int) (state, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return state{}, err
	}
	number := func(name string) float64 {
		_, rest, _ := strings.Cut(string(data), "\n"+name+":")
		fields := strings.Fields(rest[:min(len(rest), 64)])
		if len(fields) == 0 {
			return 0
		}
		x, _ := strconv.ParseFloat(fields[0], 64)
		return x
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return state{number("VmRSS") / 1024, number("VmHWM") / 1024, len(open), int(number("Threads"))}, err
}
