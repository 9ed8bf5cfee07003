package file

import "syscall"

// readAround lets the kernel read more than the page that is asked for, which bbolt asks it
// not to do. A question needs some pages of nearly all count tables: to read each of them
// from the disk takes longer than to read all.
func (f *File) readAround() {
	if size, err := f.Size(); err == nil {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, f.bolt.Info().Data, uintptr(size), syscall.MADV_NORMAL)
	}
}
