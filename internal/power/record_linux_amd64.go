package power

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stoppedByCall is the signal of a thread that stops at a system call.
const stoppedByCall = unix.SIGTRAP | 0x80

// callInfo is struct ptrace_syscall_info.
type callInfo struct {
	op      uint8
	_       [3]uint8
	arch    uint32
	ip, sp  uint64
	payload [8]uint64 // number and six arguments at the entry, the result at the exit
}

// Record runs cmd and returns what it did to the files of the folder at path, which must be empty.
// Each write of cmd to its standard output, of one or more lines, is an acknowledgement.
// cmd must not start other processes. Its standard error becomes part of the error. It is an error
// if a change was made by a system call that is not recorded.
//
// A write is recorded when it is called, before it has any effect, and a sync when it
// returns: a file that two threads write and sync at once would be recorded wrongly.
// bbolt writes a file from one goroutine at a time.
func Record(cmd *exec.Cmd, path string, o Options) (*Recording, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	complaint, err := os.CreateTemp("", "recorded-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(complaint.Name())
	defer complaint.Close()
	cmd.Stderr = complaint
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	t := &tracer{folder: path, options: o, calls: map[int]*call{}, files: map[identity]int{identityOf(path): folder}, names: map[string]int{}}
	err = t.run(cmd)
	if err == nil && !t.cut {
		err = t.recording.check(path)
	}
	if err != nil {
		text, _ := os.ReadFile(complaint.Name())
		return nil, fmt.Errorf("recording %s: %w: %.300s", filepath.Base(cmd.Path), err, bytes.TrimSpace(text))
	}
	return &t.recording, nil
}

// tracer follows the system calls of one process and its threads.
type tracer struct {
	folder    string
	options   Options
	recording Recording
	process   int
	memory    *os.File         // of the process
	calls     map[int]*call    // by thread: its current call
	files     map[identity]int // numbers of those with a name
	names     map[string]int   // of files, as the process sees them now
	made      int              // number of files so far
	acks      int
	killed    bool // we killed it because of MaxAcks
	cut       bool // and so perhaps a call of another thread
}

// run traces until the process has ended. ptrace requires a single tracing thread.
func (t *tracer) run(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Its own process group distinguishes its threads from other children of this process.
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
			return fmt.Errorf("%w: %w", ErrNotPermitted, err)
		}
		return err
	}
	t.process = cmd.Process.Pid
	timer := time.AfterFunc(t.options.Timeout, func() { cmd.Process.Kill() })
	status, err := t.follow()
	if !timer.Stop() {
		err = errors.New("timed out") // other errors are effects of the kill
	}
	if err != nil {
		t.reap()
	}
	if t.memory != nil {
		t.memory.Close()
	}
	cmd.Process.Release()
	switch {
	case err != nil:
		return err
	case t.killed && status.Signaled(), status.Exited() && status.ExitStatus() == 0:
		return nil
	}
	return fmt.Errorf("it ended with status %#x", uint32(status))
}

// reap ends the process, if it has not ended, and waits for it and all its threads, as
// a tracer must.
func (t *tracer) reap() {
	unix.Kill(t.process, unix.SIGKILL)
	for {
		var status unix.WaitStatus
		thread, err := wait(-t.process, &status)
		if err != nil || thread == t.process && !status.Stopped() {
			return
		}
	}
}

// follow handles the stops of threads, and returns how the process has ended.
func (t *tracer) follow() (status unix.WaitStatus, err error) {
	if _, err := wait(t.process, &status); err != nil || !status.Stopped() {
		return status, errors.Join(ErrNotPermitted, err)
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(t.process, options); err != nil {
		return status, fmt.Errorf("%w: %w", ErrNotPermitted, err)
	}
	if t.memory, err = os.Open(fmt.Sprintf("/proc/%d/mem", t.process)); err != nil {
		return status, fmt.Errorf("%w: %w", ErrNotPermitted, err)
	}
	for thread, signal := t.process, unix.Signal(0); ; {
		// A thread killed meanwhile is awaited below.
		if err := unix.PtraceSyscall(thread, int(signal)); err != nil && err != unix.ESRCH {
			return status, err
		}
		for {
			if thread, err = wait(-t.process, &status); err != nil {
				return status, err
			}
			if status.Stopped() {
				break
			}
			if thread == t.process {
				return status, nil
			}
			delete(t.calls, thread)
		}
		switch signal = status.StopSignal(); signal {
		case stoppedByCall:
			signal = 0
			if err := t.stopped(thread); err != nil {
				return status, err
			}
		case unix.SIGTRAP, unix.SIGSTOP:
			signal = 0 // a new thread, and its announcement
		}
	}
}

func wait(process int, status *unix.WaitStatus) (int, error) {
	for {
		thread, err := unix.Wait4(process, status, unix.WALL, nil)
		if err != unix.EINTR {
			return thread, err
		}
	}
}

// stopped handles the beginning or the end of a system call.
func (t *tracer) stopped(thread int) error {
	var info callInfo
	_, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	switch {
	case errno == unix.ESRCH:
		return nil // killed
	case errno != 0:
		return fmt.Errorf("%w: %w", ErrNotPermitted, errno)
	}
	if info.op == unix.PTRACE_SYSCALL_INFO_ENTRY {
		t.recording.Calls++
		c := &call{number: info.payload[0], args: [6]uint64(info.payload[1:7]), began: len(t.recording.Events)}
		t.calls[thread] = c
		return t.enter(c)
	}
	c := t.calls[thread]
	if info.op != unix.PTRACE_SYSCALL_INFO_EXIT || c == nil {
		return nil
	}
	delete(t.calls, thread)
	if result := int64(info.payload[0]); result >= 0 {
		return t.leave(c, result)
	}
	return nil
}

func (t *tracer) add(e Event) { t.recording.Events = append(t.recording.Events, e) }
