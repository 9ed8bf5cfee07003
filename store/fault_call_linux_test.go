package store

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// This file makes system calls fail: the kernel asks a goroutine of the test
// before it carries one out (seccomp_unotify(2)), which answers that it may, or
// with an error. That needs neither root nor another program, and costs some
// microseconds a call.

// watched are the calls that change a file or lock it.
var watched = map[uintptr]string{
	syscall.SYS_PWRITE64: "pwrite", syscall.SYS_WRITE: "write", syscall.SYS_FDATASYNC: "fdatasync",
	syscall.SYS_FSYNC: "fsync", syscall.SYS_FTRUNCATE: "ftruncate", syscall.SYS_RENAMEAT: "rename",
	syscall.SYS_FLOCK: "flock", syscall.SYS_FCHMODAT: "chmod", syscall.SYS_LINKAT: "link",
	syscall.SYS_OPENAT: "open", syscall.SYS_FCHMOD: "chmod", syscall.SYS_FCHOWN: "chown", syscall.SYS_FCHOWNAT: "chown",
}

// call is a system call that is about to be made.
type call struct {
	name string
	args [6]uint64
}

// creates reports whether the call makes a file.
func (c call) creates() bool { return c.name == "open" && c.args[2]&syscall.O_CREAT != 0 }

// file is the path of the file that the call's descriptor is of.
func (c call) file() string {
	path, _ := os.Readlink("/proc/self/fd/" + decimal(c.args[0]))
	return path
}

// ofTest reports whether the call writes to a file of go test.
func (c call) ofTest() bool {
	return c.name == "write" && filepath.Base(c.file()) == "testlog.txt"
}

func decimal(n uint64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

const (
	prSetNoNewPrivs    = 38
	seccompFilter      = 1 // SECCOMP_SET_MODE_FILTER
	seccompNewListener = 8
	seccompAllow       = 0x7fff0000
	seccompUserNotify  = 0x7fc00000
	notifyReceive      = 0xc0502100
	notifySend         = 0xc0182101
	notifyContinue     = 1
	lastCall           = 0xffffffb3 // of fsync, which ends the watch: no descriptor
	seccompCallOnAMD64 = 317
	seccompCallOnARM64 = 277
	seccompCallOn386   = 354
	thirdArgument      = 32 // where it lies in what a filter sees
	bpfLoadWord        = 0x20
	bpfJumpIfEqual     = 0x15
	bpfReturn          = 0x06
)

type notification struct {
	id         uint64
	pid, flags uint32
	number     int32
	arch       uint32
	pointer    uint64
	args       [6]uint64
}

type answer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

type bpf struct {
	code  uint16
	true  uint8
	false uint8
	k     uint32
}

// withFaults runs f in a thread of its own. Each watched call that the thread
// makes is carried out, or fails with the error that decide returns for it, which
// is called by another goroutine while the thread waits. It skips the test where
// the kernel does not offer this.
func withFaults(t testing.TB, decide func(call) syscall.Errno, f func()) {
	t.Helper()
	listeners, done, ended := make(chan int), make(chan bool), make(chan error, 1)
	go func() { // the thread ends with this goroutine, since it stays locked
		defer close(done)
		runtime.LockOSThread()
		fd, err := listen()
		if err != 0 {
			ended <- err
			close(listeners)
			return
		}
		listeners <- fd
		defer syscall.Syscall(syscall.SYS_FSYNC, uintptr(lastCall), 0, 0)
		f()
	}()
	fd, ok := <-listeners
	if !ok {
		if os.Getenv("CI") != "" {
			t.Fatalf("no system call can be made to fail here: %v", <-ended)
		}
		t.Skipf("SKIPPED: no system call can be made to fail here: %v", <-ended)
	}
	defer syscall.Close(fd)
	if err := answerAll(fd, decide); err != 0 {
		t.Errorf("watching system calls: %v", err)
	}
	<-done
}

// listen has the calls of this thread that are watched asked for.
func listen() (int, syscall.Errno) {
	number := map[string]uintptr{"amd64": seccompCallOnAMD64, "arm64": seccompCallOnARM64, "386": seccompCallOn386}[runtime.GOARCH]
	if number == 0 {
		return 0, syscall.ENOSYS
	}
	program := []bpf{{code: bpfLoadWord}} // the number of the call comes first
	for nr := range watched {
		if nr != syscall.SYS_WRITE {
			program = append(program, bpf{bpfJumpIfEqual, 0, 1, uint32(nr)}, bpf{code: bpfReturn, k: seccompUserNotify})
		}
	}
	// Go's scheduler wakes itself by writing 8 bytes, and could not wait for us.
	program = append(program, bpf{bpfJumpIfEqual, 0, 3, syscall.SYS_WRITE}, bpf{code: bpfLoadWord, k: thirdArgument},
		bpf{bpfJumpIfEqual, 1, 0, 8}, bpf{code: bpfReturn, k: seccompUserNotify}, bpf{code: bpfReturn, k: seccompAllow})
	head := struct {
		n       uint16
		program *bpf
	}{uint16(len(program)), &program[0]}
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); err != 0 {
		return 0, err
	}
	fd, _, err := syscall.RawSyscall(number, seccompFilter, seccompNewListener, uintptr(unsafe.Pointer(&head)))
	runtime.KeepAlive(program)
	return int(fd), err
}

// answerAll answers until the last call.
func answerAll(fd int, decide func(call) syscall.Errno) syscall.Errno {
	var asked notification // whose answer came too late: a signal had come to the thread
	var decided syscall.Errno
	for {
		var n notification
		_, _, err := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), notifyReceive, uintptr(unsafe.Pointer(&n)))
		if err == syscall.EINTR || err == syscall.ENOENT {
			continue // a signal came to the thread, which asks again
		}
		if err != 0 {
			return err
		}
		a := answer{id: n.id, flags: notifyContinue}
		last := n.number == syscall.SYS_FSYNC && uint32(n.args[0]) == lastCall
		if last {
			a.flags, a.errno = 0, -int32(syscall.EBADF)
		} else if c := (call{watched[uintptr(n.number)], n.args}); c.ofTest() {
			// go test notes which files are opened, in any thread.
		} else {
			if asked.number != n.number || asked.args != n.args {
				decided = decide(c)
			}
			asked = notification{}
			if decided != 0 {
				a.flags, a.errno = 0, -int32(decided)
			}
		}
		_, _, err = syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), notifySend, uintptr(unsafe.Pointer(&a)))
		if err == syscall.ENOENT {
			asked = n // it asks again
			continue
		}
		if err != 0 || last {
			return err
		}
	}
}

// A call that is to fail fails, and no other.
func TestFaultsAreMade(t *testing.T) {
	t.Parallel()
	path := tempDB(t)
	var names []string
	var refused, written error
	withFaults(t, func(c call) syscall.Errno {
		if c.name == "open" && !c.creates() {
			return 0
		}
		names = append(names, c.name)
		if c.name == "fdatasync" && len(names) == 3 {
			return syscall.EIO
		}
		return 0
	}, func() {
		f, err := os.Create(path)
		if err != nil {
			written = err
			return
		}
		defer f.Close()
		_, written = f.WriteAt([]byte("x"), 0)
		refused = syscall.Fdatasync(int(f.Fd()))
		written = syscall.Fdatasync(int(f.Fd()))
	})
	if want := []string{"open", "pwrite", "fdatasync", "fdatasync"}; !slices.Equal(names, want) {
		t.Errorf("watched %v, want %v", names, want)
	}
	if refused != syscall.EIO || written != nil {
		t.Errorf("%v and %v, want %v and nil", refused, written, syscall.EIO)
	}
}
