package file

import (
	"os"
	"syscall"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// aheadBytes is the size of a small database: reading all of it from disk is faster than here and there.
const aheadBytes = 16 << 20

// probes is in how many places readAhead looks whether a file is in memory. To have the kernel
// look at every page takes a thirtieth of what the answer about one message takes.
const probes = 4

// readAhead lets the kernel read the beginning of a file of size bytes before it is asked for.
func readAhead(f *os.File, size int64) {
	fd, b := int(f.Fd()), make([]byte, 1)
	for i := range int64(probes) {
		at := min(size, aheadBytes) * (2*i + 1) / (2 * probes)
		if n, err := unix.Preadv2(fd, [][]byte{b}, at, unix.RWF_NOWAIT); n != 1 || err != nil {
			_ = unix.Fadvise(fd, 0, aheadBytes, unix.FADV_WILLNEED)
			return
		}
	}
}

// readAround lets the kernel read more than the page that a reader asks for, which bbolt asks it not to do.
// A question needs some pages of nearly all count tables: reading each from disk takes longer than reading all.
func (f *File) readAround() {
	if size, err := f.Size(); err == nil {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, f.bolt.Info().Data, uintptr(size), syscall.MADV_NORMAL)
	}
}

// Forget takes the pages that tx has read out of the memory of this process, unless the file is so small that
// mapping them again costs more. The kernel keeps them. While tx lives, its size is mapped.
func Forget(tx *bolt.Tx) {
	if tx.Size() > aheadBytes/4 {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), syscall.MADV_DONTNEED)
	}
}
