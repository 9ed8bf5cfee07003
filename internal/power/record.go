// Package power simulates what a loss of power leaves of the files that a program writes.
// Record runs a program under strace and records, in order, its changes to the files of
// one folder and its acknowledgements. A Disk replays such a Recording; at any moment it
// knows which changes are durable, because a call of fsync or fdatasync that covers them
// has returned, and which are pending. A Choice decides which pending changes are on disk
// when the power fails: any subset, since neither the system nor the disk promises an
// order, and of each write any sectors.
//
// The disk is the worst that POSIX allows. A write is pending until its file is synced. A
// name that a file gets or loses, by creation, link, rename or removal, is pending until
// the folder is synced, whatever is done to the file. Synced data stays, a rename is
// atomic, and a sector is written whole or not at all.
package power

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Record runs cmd and returns what it did to the files of the folder at path, which must be empty.
// Each write of cmd to its standard output, of one or more lines, is an acknowledgement.
// cmd must not start other processes. It is ended after maxAcks of them, and the recording with the
// last; with 0 it must end by itself within a minute, with exit code 0. Its standard error becomes part of the error. It is an error
// if a change was made by a system call that is not recorded.
//
// A write is recorded when it is called, before it has any effect, and a sync when it
// returns: a file that two threads write and sync at once would be recorded wrongly.
// bbolt writes a file from one goroutine at a time.
func Record(cmd *exec.Cmd, path string, maxAcks int) (*Recording, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	t := &tracer{folder: path, most: maxAcks, calls: map[string]call{}, files: map[int]*opened{}, names: map[string]int{}}
	var complaint bytes.Buffer
	if err = t.run(cmd, &complaint); err == nil && !t.enough() {
		err = t.recording.check(path)
	}
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w: %.300s", filepath.Base(cmd.Path), err, bytes.TrimSpace(complaint.Bytes()))
	}
	return &t.recording, nil
}

// timeout ends a program that does not end.
var timeout = time.Minute

// traced are the calls that change files and names, and those by which descriptors come to be of a file.
const traced = "openat,close,fcntl,lseek,write,pwrite64,ftruncate,fsync,fdatasync,unlinkat,renameat,renameat2,linkat"

// run has strace(1) tell of the calls of cmd: in order, a line for a call or, where another thread calls
// meanwhile, for its beginning and for its end.
func (t *tracer) run(cmd *exec.Cmd, complaint *bytes.Buffer) error {
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	options := []string{"-f", "-y", "-a", "1", "-xx", "-s", strconv.Itoa(64 << 20), "-e", "signal=none", "-e", "trace=" + traced, "--seccomp-bpf", "-o", "/proc/self/fd/3", cmd.Path}
	strace := exec.Command("strace", append(options, cmd.Args[1:]...)...)
	strace.Env, strace.Dir, strace.ExtraFiles = cmd.Env, cmd.Dir, []*os.File{out}
	strace.Stdout, strace.Stderr = io.Discard, complaint // a pipe, so that Wait waits for cmd too
	err = strace.Start()
	out.Close()
	if err != nil {
		return errors.Join(ErrUnsupported, err)
	}
	var process *os.Process
	var timer *time.Timer
	for lines := bufio.NewReader(in); ; {
		line, ended := lines.ReadString('\n')
		if ended != nil {
			break
		}
		thread, text, _ := strings.Cut(line, " ")
		if process == nil { // the first thread has its number
			pid, _ := strconv.Atoi(thread)
			process, _ = os.FindProcess(pid)
			timer = time.AfterFunc(timeout, func() { process.Kill() })
		}
		if t.enough() {
			process.Kill()
		} else {
			t.line(thread, strings.TrimSpace(text))
		}
	}
	err = strace.Wait()
	switch {
	case t.enough():
		return nil
	case timer == nil:
		return errors.Join(ErrNotPermitted, err)
	case !timer.Stop():
		return errors.New("timed out")
	}
	return err
}

// tracer follows the system calls of one process and its threads.
type tracer struct {
	folder    string
	most      int // acknowledgements, if above 0
	recording Recording
	calls     map[string]call // by thread: those that have not returned
	files     map[int]*opened // by descriptor
	names     map[string]int  // numbers of files, as the process sees their names now
	made      int             // number of files so far
	acks      int
}

// opened is an open file of the folder.
type opened struct {
	number int
	at     int64 // where the next write goes
}

// enough reports whether there were as many acknowledgements as asked for.
func (t *tracer) enough() bool { return t.most > 0 && t.acks >= t.most }

// call is a system call: its name, and its arguments as strace writes them.
type call struct {
	text  string
	name  string
	args  []string
	began int // events before it
}

// line handles a line of strace about a thread.
func (t *tracer) line(thread, text string) {
	c, again := t.calls[thread], false
	if text, again = strings.CutPrefix(text, "<... "); again {
		_, text, _ = strings.Cut(text, " resumed>")
		text = c.text + text
	}
	text, unfinished := strings.CutSuffix(text, " <unfinished ...>")
	called, result, _ := strings.Cut(text, ") = ")
	c.text = called
	name, args, isCall := strings.Cut(called, "(")
	if c.name, c.args = name, strings.Split(args, ", "); !isCall {
		return // the process has ended
	}
	if !again {
		c.began = len(t.recording.Events)
		t.recording.Calls++
		t.enter(&c)
	}
	if t.calls[thread] = c; unfinished {
		return
	}
	result, _, _ = strings.Cut(result, "<")
	if n, err := strconv.ParseInt(result, 0, 64); err == nil && n >= 0 {
		t.leave(&c, int(n))
	}
}

// enter handles the beginning of a call: written data is pending from here on.
func (t *tracer) enter(c *call) {
	fd := c.number(0)
	file := t.files[fd]
	switch {
	case c.name == "write" && fd == 1:
		t.add(Event{Kind: Ack, Data: c.data(1)})
		t.acks++
	case file == nil:
	case c.name == "write":
		e := Event{Kind: Write, File: file.number, Offset: file.at, Data: c.data(1)}
		file.at += int64(len(e.Data))
		t.add(e)
	case c.name == "pwrite64":
		t.add(Event{Kind: Write, File: file.number, Offset: int64(c.number(3)), Data: c.data(1)})
	case c.name == "ftruncate":
		t.add(Event{Kind: Truncate, File: file.number, Size: int64(c.number(1))})
	case c.name == "close":
		delete(t.files, fd)
	}
}

// leave handles the end of a call that has succeeded with this result.
func (t *tracer) leave(c *call, result int) {
	file := t.files[c.number(0)]
	switch c.name {
	case "fsync", "fdatasync":
		if c.path(0) == t.folder {
			t.add(Event{Kind: SyncFolder, Began: c.began})
		} else if file != nil {
			t.add(Event{Kind: Sync, File: file.number, Began: c.began})
		}
	case "lseek":
		if file != nil {
			file.at = int64(result)
		}
	case "fcntl":
		if strings.HasPrefix(c.args[1], "F_DUPFD") {
			t.files[result] = file
		}
	case "openat":
		t.open(c, result)
	case "unlinkat":
		name := t.name(c, 0)
		t.rename(Event{Kind: Remove, File: t.names[name], Name: name})
	case "renameat", "renameat2", "linkat":
		e := Event{Kind: Link, From: t.name(c, 0), Name: t.name(c, 2)}
		if e.File = t.names[e.From]; c.name != "linkat" {
			e.Kind = Rename
		}
		t.rename(e)
	}
}

func (t *tracer) open(c *call, fd int) {
	name := t.name(c, 0)
	if delete(t.files, fd); name == "" {
		return
	}
	number, known := t.names[name]
	switch {
	case !known:
		number = t.made
		t.made++
		t.names[name] = number
		t.add(Event{Kind: Create, File: number, Name: name})
	case strings.Contains(c.args[2], "O_TRUNC"):
		t.add(Event{Kind: Truncate, File: number})
	}
	t.files[fd] = &opened{number: number}
}

func (t *tracer) rename(e Event) {
	if e.Name != "" && (e.Kind == Remove || e.From != "") { // in the folder
		t.add(e)
		e.rename(t.names)
	}
}

func (t *tracer) add(e Event) { t.recording.Events = append(t.recording.Events, e) }

// name returns the name in the recorded folder of the path in argument i+1, which is relative to the open
// folder of argument i; "" for other paths.
func (t *tracer) name(c *call, i int) string {
	path := string(c.data(i + 1))
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.path(i), path)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || parent != t.folder || filepath.Clean(path) == t.folder {
		return ""
	}
	return filepath.Base(path)
}

// number returns argument i, a number or a descriptor.
func (c *call) number(i int) int {
	digits, _, _ := strings.Cut(c.args[i], "<")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1 // AT_FDCWD
	}
	return n
}

// path returns the path that the descriptor in argument i has.
func (c *call) path(i int) string {
	_, path, _ := strings.Cut(c.args[i], "<")
	path, _, _ = strings.Cut(path, ">")
	text, _ := strconv.Unquote(`"` + path + `"`)
	return text
}

func (c *call) data(i int) []byte {
	text, _ := strconv.Unquote(c.args[i])
	return []byte(text)
}
