//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of CPU time in /proc: USER_HZ, which is 100 a second on every
// architecture that Debian has but Alpha.
const clockTick = 10 * time.Millisecond

// highWater returns the peak resident memory of a process in bytes, VmHWM of
// /proc/PID/status; 0 if the process is gone.
func highWater(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return parseKilobytes(data, "VmHWM")
}

// parseKilobytes returns the bytes of a line as "VmHWM:     2048 kB", 0 if there is none.
func parseKilobytes(status []byte, name string) int64 {
	_, rest, found := bytes.Cut(status, []byte("\n"+name+":"))
	if !found {
		return 0
	}
	fields := strings.Fields(string(rest[:min(len(rest), 64)]))
	if len(fields) == 0 {
		return 0
	}
	kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}

// share returns the current memory of a process in bytes, with shared pages divided among
// their users: Pss of /proc/PID/smaps_rollup; 0 if the process is gone.
func share(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	return parseKilobytes(data, "Pss")
}

// A stat is the content of /proc/PID/stat.
type stat struct {
	pid, parent int
	cpu         time.Duration // of the process and of the children it waited for
}

// parseStat reads /proc/PID/stat, proc_pid_stat(5): the name in parentheses may hold
// blanks and parentheses itself, and utime, stime, cutime, cstime are fields 14 to 17.
func parseStat(line string) (stat, error) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return stat{}, fmt.Errorf("not a line of /proc/PID/stat: %q", line)
	}
	fields := strings.Fields(line[end+1:]) // the first is field 3, the state
	if len(fields) < 15 {
		return stat{}, fmt.Errorf("a short line of /proc/PID/stat: %q", line)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	if err != nil {
		return stat{}, err
	}
	s := stat{pid: pid}
	if s.parent, err = strconv.Atoi(fields[1]); err != nil {
		return stat{}, err
	}
	for _, field := range fields[11:15] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return stat{}, err
		}
		s.cpu += time.Duration(ticks) * clockTick
	}
	return s, nil
}

// treeCost returns the CPU time of a process and its descendants, and the sum of their
// current shares of memory: a sum of peaks would count the same pages several times.
func treeCost(root int) cost {
	var sum cost
	for _, s := range family(root) {
		sum.cpu += s.cpu
		sum.memory += share(s.pid)
	}
	return sum
}

// family returns a process and its descendants.
func family(root int) []stat {
	entries, _ := os.ReadDir("/proc")
	children := map[int][]stat{}
	var list []stat
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		s, err := parseStat(string(line))
		if err != nil {
			continue
		}
		children[s.parent] = append(children[s.parent], s)
		if s.pid == root {
			list = append(list, s)
		}
	}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i].pid]...)
	}
	return list
}
