package corpus

import (
	"os"

	"golang.org/x/sys/unix"
)

// openBeneath opens a file in folder as os.Root does, with one system call instead of
// eight. It returns nil if the kernel is old or on an error, for os.Root to report.
func openBeneath(folder *os.File, rel, path string) *os.File {
	if folder == nil {
		return nil
	}
	fd, err := unix.Openat2(int(folder.Fd()), rel, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), path)
}
