package incoming

import (
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"
)

// Limit returns how much of a message is kept in memory and classified, in bytes. It is
// less if the address space is limited, as mail servers do for programs that they start.
func Limit() int {
	if limited() {
		return maxMessage / 8
	}
	return maxMessage
}

func limited() bool {
	var space syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_AS, &space) == nil && space.Cur < 4<<30
}

// direct returns in and out so that reading and writing them needs no thread of the runtime:
// where the address space has no room for one, the process ends, and must not do so with a
// part of the message written. Nothing is collected from then on.
func direct(in io.Reader, out io.Writer) (io.Reader, io.Writer) {
	if !limited() {
		return in, out
	}
	runtime.GC() // ends the collection that may be going on
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(math.MaxInt64)
	if f, is := in.(*os.File); is {
		in = directFile{f, int(f.Fd())}
	}
	if f, is := out.(*os.File); is {
		out = directFile{f, int(f.Fd())}
	}
	return in, out
}

// directFile calls the system without telling the runtime, which would hand over the processor.
type directFile struct {
	file *os.File
	fd   int
}

func (d directFile) Read(p []byte) (int, error) {
	n, errno := d.call(syscall.SYS_READ, p)
	switch {
	case errno == syscall.EAGAIN: // nobody waits for it but the runtime
		return d.file.Read(p)
	case errno != 0:
		return 0, errno
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (d directFile) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, errno := d.call(syscall.SYS_WRITE, p[written:])
		switch {
		case errno == syscall.EAGAIN:
			n, err := d.file.Write(p[written:])
			return written + n, err
		case errno != 0:
			return written, errno
		}
		written += n
	}
	return written, nil
}

// call reads or writes p, once more where a signal has interrupted it.
func (d directFile) call(what uintptr, p []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(what, uintptr(d.fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		if errno != syscall.EINTR {
			return int(n), errno
		}
	}
}
