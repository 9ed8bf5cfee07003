//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Ready reports whether some lines can be written to f without waiting for who reads them.
func Ready(f *os.File) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLOUT}}, 0)
	return n == 1 && err == nil
}
