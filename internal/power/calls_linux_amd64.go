package power

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// folder is the number of the recorded folder among files.
const folder = -1

// call is a system call that a thread is in.
type call struct {
	number uint64
	args   [6]uint64
	began  int // events before it
}

// enter handles the beginning of a call: written data is pending from here on.
func (t *tracer) enter(c *call) (err error) {
	fd := descriptor(c.args[0])
	file, ours := t.file(fd)
	switch {
	case c.number == unix.SYS_WRITE && fd == 1:
		return t.acknowledge(c)
	case !ours:
		return nil
	case c.number == unix.SYS_WRITE:
		var offset int64
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", t.process, fd))
		if err == nil {
			_, err = fmt.Sscanf(string(info), "pos:\t%d", &offset)
		}
		if err != nil {
			return err
		}
		return t.write(c, file, offset)
	case c.number == unix.SYS_PWRITE64:
		return t.write(c, file, int64(c.args[3]))
	case c.number == unix.SYS_FTRUNCATE:
		t.add(Event{Kind: Truncate, File: file, Size: int64(c.args[1])})
	}
	return nil
}

// leave handles the end of a call that has succeeded with this result.
func (t *tracer) leave(c *call, result int64) error {
	fd := descriptor(c.args[0])
	switch c.number {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		switch file, ours := t.file(fd); {
		case file == folder:
			t.add(Event{Kind: SyncFolder, Began: c.began})
		case ours:
			t.add(Event{Kind: Sync, File: file, Began: c.began})
		}
	case unix.SYS_OPENAT:
		name, err := t.name(fd, c.args[1])
		if err != nil || name == "" {
			return err
		}
		file, known := t.names[name]
		switch {
		case !known:
			file = t.made
			t.made++
			t.names[name] = file
			t.add(Event{Kind: Create, File: file, Name: name})
		case c.args[2]&unix.O_TRUNC != 0:
			t.add(Event{Kind: Truncate, File: file})
		}
		t.files[t.identity(int(result))] = file
	case unix.SYS_UNLINKAT:
		name, err := t.name(fd, c.args[1])
		t.rename(Event{Kind: Remove, File: t.names[name], Name: name})
		return err
	case unix.SYS_RENAMEAT, unix.SYS_LINKAT:
		from, err := t.name(fd, c.args[1])
		if err != nil {
			return err
		}
		name, err := t.name(descriptor(c.args[2]), c.args[3])
		e := Event{Kind: Link, File: t.names[from], Name: name, From: from}
		if c.number == unix.SYS_RENAMEAT {
			e.Kind = Rename
		}
		t.rename(e)
		return err
	}
	return nil
}

// rename adds a change of names, and forgets files without one: the system may use their
// identities again.
func (t *tracer) rename(e Event) {
	if e.Name == "" || e.Kind != Remove && e.From == "" {
		return // not in the folder
	}
	t.add(e)
	e.rename(t.names)
	named := slices.Collect(maps.Values(t.names))
	maps.DeleteFunc(t.files, func(_ identity, file int) bool { return file != folder && !slices.Contains(named, file) })
}

func (t *tracer) write(c *call, file int, offset int64) error {
	data, err := t.read(c)
	t.add(Event{Kind: Write, File: file, Offset: offset, Data: data})
	return err
}

func (t *tracer) acknowledge(c *call) error {
	data, err := t.read(c)
	t.add(Event{Kind: Ack, Data: data})
	if t.acks++; t.acks == t.options.MaxAcks {
		t.killed = true
		for _, other := range t.calls {
			t.cut = t.cut || other != c && !slices.Contains([]uint64{unix.SYS_FUTEX, unix.SYS_EPOLL_PWAIT, unix.SYS_NANOSLEEP}, other.number)
		}
		return unix.Kill(t.process, unix.SIGKILL)
	}
	return err
}

// read returns the data that a call writes.
func (t *tracer) read(c *call) ([]byte, error) {
	data := make([]byte, c.args[2])
	_, err := t.memory.ReadAt(data, int64(c.args[1]))
	return data, err
}

// identity is that of a file in the system.
type identity struct{ device, inode uint64 }

func identityOf(path string) identity {
	var s unix.Stat_t
	_ = unix.Stat(path, &s) // or there is none
	return identity{s.Dev, s.Ino}
}

func (t *tracer) identity(fd int) identity {
	return identityOf(fmt.Sprintf("/proc/%d/fd/%d", t.process, fd))
}

// file returns the number of the file that is open, and whether it is one of the folder or that.
func (t *tracer) file(fd int) (number int, ours bool) {
	number, ours = t.files[t.identity(fd)]
	return number, ours
}

// name returns the name in the recorded folder of the path at address, which is relative to an
// open folder; "" for other paths.
func (t *tracer) name(open int, address uint64) (string, error) {
	text := bufio.NewReader(io.NewSectionReader(t.memory, int64(address), unix.PathMax))
	path, err := text.ReadString(0)
	if err != nil {
		return "", err
	}
	path = strings.TrimSuffix(path, "\x00")
	if !filepath.IsAbs(path) {
		base := fmt.Sprintf("/proc/%d/cwd", t.process)
		if open != unix.AT_FDCWD {
			base = fmt.Sprintf("/proc/%d/fd/%d", t.process, open)
		}
		if base, err = os.Readlink(base); err != nil {
			return "", err
		}
		path = filepath.Join(base, path)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || parent != t.folder || filepath.Clean(path) == t.folder {
		return "", nil
	}
	return filepath.Base(path), nil
}

func descriptor(arg uint64) int { return int(int32(arg)) }
