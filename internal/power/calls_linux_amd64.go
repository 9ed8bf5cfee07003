package power

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// call is a system call that a thread is in.
type call struct {
	number     uint64
	args       [6]uint64
	began      int    // events before it
	from, name string // names in the folder; "" for files elsewhere
}

// enter handles the beginning of a call: written data is pending from here on, and names
// are still the arguments of the call.
func (t *tracer) enter(c *call) (err error) {
	fd := descriptor(c.args[0])
	h, ours := t.opened[fd]
	switch c.number {
	case unix.SYS_WRITE:
		switch {
		case fd == 1:
			return t.acknowledge(c)
		case ours && h.offset == shared:
			return errors.New("writing where the offset is that of two descriptors is not recorded")
		case ours:
			return t.write(c, h.file, h.offset)
		}
	case unix.SYS_PWRITE64:
		if ours {
			return t.write(c, h.file, int64(c.args[3]))
		}
	case unix.SYS_FTRUNCATE:
		if ours {
			t.add(Event{Kind: Truncate, File: h.file, Size: int64(c.args[1])})
		}
	case unix.SYS_CLOSE:
		delete(t.opened, fd)
	case unix.SYS_OPENAT, unix.SYS_UNLINKAT:
		c.name, err = t.name(fd, c.args[1])
	case unix.SYS_RENAMEAT, unix.SYS_LINKAT:
		if c.from, err = t.name(fd, c.args[1]); err == nil {
			c.name, err = t.name(descriptor(c.args[2]), c.args[3])
		}
	default:
		return t.refuse(c)
	}
	return err
}

// refuse returns an error if the call changes a file of the folder in a way that is not
// recorded.
func (t *tracer) refuse(c *call) error {
	bad, fd := false, descriptor(c.args[0])
	switch c.number {
	case unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_FALLOCATE, unix.SYS_SENDFILE,
		unix.SYS_DUP, unix.SYS_DUP2, unix.SYS_DUP3:
		_, bad = t.opened[fd]
	case unix.SYS_COPY_FILE_RANGE, unix.SYS_SPLICE:
		_, bad = t.opened[descriptor(c.args[2])]
	case unix.SYS_MMAP:
		_, bad = t.opened[descriptor(c.args[4])]
		bad = bad && c.args[2]&unix.PROT_WRITE != 0 && c.args[3]&unix.MAP_SHARED != 0
	case unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_TRUNCATE, unix.SYS_UNLINK, unix.SYS_MKDIR, unix.SYS_RMDIR:
		return t.refuseNames(c, 0)
	case unix.SYS_MKDIRAT:
		return t.refuseNames(c, 1)
	case unix.SYS_RENAME, unix.SYS_LINK:
		return t.refuseNames(c, 0, 1)
	case unix.SYS_RENAMEAT2:
		return t.refuseNames(c, 1, 3)
	}
	if bad {
		return fmt.Errorf("system call %d on a file of the folder is not recorded", c.number)
	}
	return nil
}

func (t *tracer) refuseNames(c *call, paths ...int) error {
	for _, arg := range paths {
		if name, err := t.name(unix.AT_FDCWD, c.args[arg]); err != nil || name != "" {
			return fmt.Errorf("system call %d on the name %q is not recorded: %v", c.number, name, err)
		}
	}
	return nil
}

// leave handles the end of a call that has returned result.
func (t *tracer) leave(c *call, result int64) error {
	fd := descriptor(c.args[0])
	h, ours := t.opened[fd]
	switch c.number {
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FTRUNCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		if !ours {
			return nil
		}
		wrote := c.number == unix.SYS_WRITE || c.number == unix.SYS_PWRITE64
		if result < 0 || wrote && uint64(result) != c.args[2] {
			return fmt.Errorf("system call %d returned %d: the disk is full or broken", c.number, result)
		}
		switch {
		case c.number == unix.SYS_WRITE:
			t.opened[fd] = handle{h.file, h.offset + result}
		case wrote || c.number == unix.SYS_FTRUNCATE:
		case h.file < 0:
			t.add(Event{Kind: SyncFolder, Began: c.began})
		default:
			t.add(Event{Kind: Sync, File: h.file, Began: c.began})
		}
	case unix.SYS_LSEEK:
		if ours && result >= 0 && h.offset != shared {
			t.opened[fd] = handle{h.file, result}
		}
	case unix.SYS_FCNTL:
		if ours && result >= 0 && (c.args[1] == unix.F_DUPFD || c.args[1] == unix.F_DUPFD_CLOEXEC) {
			t.opened[fd] = handle{h.file, shared}
			t.opened[int(result)] = handle{h.file, shared}
		}
	case unix.SYS_OPENAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_LINKAT:
		if result >= 0 && (c.name != "" || c.from != "") {
			return t.named(c, int(result))
		}
	}
	return nil
}

// named handles the end of a call that has changed or used names.
func (t *tracer) named(c *call, fd int) error {
	file, known := t.names[c.name]
	switch c.number {
	case unix.SYS_OPENAT:
		return t.open(c, fd)
	case unix.SYS_UNLINKAT:
		if !known {
			return fmt.Errorf("%s was removed, and never made", c.name)
		}
		delete(t.names, c.name)
		t.add(Event{Kind: Remove, File: file, Name: c.name})
		return nil
	}
	file, known = t.names[c.from]
	if !known || c.name == "" {
		return fmt.Errorf("a rename or link from %q to %q leads out of the folder", c.from, c.name)
	}
	t.names[c.name] = file
	e := Event{Kind: Link, File: file, Name: c.name, From: c.from}
	if c.number == unix.SYS_RENAMEAT {
		delete(t.names, c.from)
		e.Kind = Rename
	}
	t.add(e)
	return nil
}

func (t *tracer) open(c *call, fd int) error {
	if c.name == "." {
		t.opened[fd] = handle{file: -1}
		return nil
	}
	flags := int(c.args[2])
	file, known := t.names[c.name]
	switch {
	case !known && flags&unix.O_CREAT == 0:
		return fmt.Errorf("%s was there before the recording", c.name)
	case flags&unix.O_APPEND != 0:
		return fmt.Errorf("%s was opened to append, which is not recorded", c.name)
	case !known:
		file = t.files
		t.files++
		t.names[c.name] = file
		t.add(Event{Kind: Create, File: file, Name: c.name})
	case flags&unix.O_TRUNC != 0:
		t.add(Event{Kind: Truncate, File: file})
	}
	t.opened[fd] = handle{file: file}
	return nil
}

func (t *tracer) write(c *call, file int, offset int64) error {
	data, err := t.read(c.args[1], int(c.args[2]))
	t.add(Event{Kind: Write, File: file, Offset: offset, Data: data})
	return err
}

func (t *tracer) acknowledge(c *call) error {
	data, err := t.read(c.args[1], int(c.args[2]))
	t.add(Event{Kind: Ack, Data: data})
	if t.acks++; t.acks == t.options.MaxAcks {
		t.killed = true
		return unix.Kill(t.process, unix.SIGKILL)
	}
	return err
}

func (t *tracer) read(address uint64, size int) ([]byte, error) {
	data := make([]byte, size)
	_, err := t.memory.ReadAt(data, int64(address))
	return data, err
}

// name returns the name in the recorded folder of the path at address, which is relative
// to an open folder: "." for the recorded folder itself, "" for paths elsewhere.
func (t *tracer) name(folder int, address uint64) (string, error) {
	path, err := t.text(address)
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(path) {
		base := fmt.Sprintf("/proc/%d/cwd", t.process)
		if folder != unix.AT_FDCWD {
			base = fmt.Sprintf("/proc/%d/fd/%d", t.process, folder)
		}
		if base, err = os.Readlink(base); err != nil {
			return "", err
		}
		path = filepath.Join(base, path)
	}
	if path = filepath.Clean(path); path == t.folder {
		return ".", nil
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || parent != t.folder {
		return "", nil
	}
	return filepath.Base(path), nil
}

// text reads a string that ends with a zero byte.
func (t *tracer) text(address uint64) (string, error) {
	var b []byte
	for len(b) < unix.PathMax {
		// Not beyond the page, where there may be no memory.
		part := make([]byte, 4096-address%4096)
		n, err := t.memory.ReadAt(part, int64(address))
		if at := bytes.IndexByte(part[:n], 0); at >= 0 {
			return string(append(b, part[:at]...)), nil
		}
		if err != nil {
			return "", err
		}
		b = append(b, part...)
		address += uint64(n)
	}
	return "", unix.ENAMETOOLONG
}

func descriptor(arg uint64) int { return int(int32(arg)) }
