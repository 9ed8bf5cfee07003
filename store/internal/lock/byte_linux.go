//go:build linux && !android

package lock

import (
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// The bytes that are locked, beyond the end of any file.
const (
	writer    = math.MaxInt64 - 15
	turnstile = math.MaxInt64 - 14
	claim     = math.MaxInt64 - 13
	queue     = math.MaxInt64 - 12
)

// isRemote recognises file systems on which a flock is a lock on all bytes, or on which a
// server handles locks: a process would wait for itself.
func isRemote(magic uint32) bool {
	switch magic {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		return true
	}
	return false
}

// supported reports whether the system, an old one of which has no such locks, and the file system
// answer what locks there are.
func supported(f *os.File) bool {
	var s unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &s) == nil && !isRemote(uint32(s.Type)) && control(f, unix.F_OFD_GETLK, request(queue, false)) == nil
}

func request(at int64, alone bool) *unix.Flock_t {
	k := &unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart, Start: at, Len: 1}
	if alone {
		k.Type = unix.F_WRLCK
	}
	return k
}

// tryByte takes the lock on a byte, or returns errBusy.
func tryByte(f *os.File, at int64, alone bool) error {
	err := control(f, unix.F_OFD_SETLK, request(at, alone))
	if err == unix.EAGAIN || err == unix.EACCES {
		return errBusy
	}
	return err
}

// waitingMost bounds the threads that wait in the system's queue: otherwise a process
// that retries while another has the lock for days would run out of threads.
const waitingMost = 16

var waiting atomic.Int32

// waitByte waits for the lock on a byte in the system's queue. f must have no other lock.
// A wait cannot be cancelled: after ErrTimeout, when f has to be closed, a thread stays
// until it gets the lock, which it frees at once, or until the process ends. If too many
// threads wait already it polls.
func waitByte(f *os.File, at int64, alone bool, deadline time.Time) error {
	if err := tryByte(f, at, alone); err != errBusy {
		return err
	}
	left := time.Until(deadline)
	if left <= 0 {
		return ErrTimeout
	}
	if waiting.Add(1) > waitingMost {
		waiting.Add(-1)
		return poll(func() error { return tryByte(f, at, alone) }, deadline)
	}
	number, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0) // f may be closed meanwhile
	if err != nil {
		waiting.Add(-1)
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer waiting.Add(-1)
		same := os.NewFile(uintptr(number), f.Name())
		defer same.Close()
		done <- control(same, unix.F_OFD_SETLKW, request(at, alone))
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(left):
		return ErrTimeout
	}
}

func unlockByte(f *os.File, at int64) {
	k := request(at, false)
	k.Type = unix.F_UNLCK
	_ = control(f, unix.F_OFD_SETLK, k)
}

// heldByte reports whether another has a conflicting lock on the byte.
func heldByte(f *os.File, at int64, alone bool) bool {
	k := request(at, !alone)
	return control(f, unix.F_OFD_GETLK, k) == nil && k.Type != unix.F_UNLCK
}

func control(f *os.File, command int, k *unix.Flock_t) error {
	for {
		if err := unix.FcntlFlock(f.Fd(), command, k); err != unix.EINTR {
			return err
		}
	}
}
