//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package client

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// exchange sends the parts to a socket and returns what comes back. It does without package
// net, whose start takes longer than everything else here. The connection lasts until end
// is called or the process ends; end is nil after an error.
func (c *Client) exchange(parts ...[]byte) (reply string, end func(), err error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", nil, err
	}
	end = func() { unix.Close(fd) }
	defer func() {
		if err != nil {
			end()
			end = nil
		}
	}()
	unix.CloseOnExec(fd)
	limit := unix.NsecToTimeval(int64(c.Timeout))
	for _, option := range []int{unix.SO_SNDTIMEO, unix.SO_RCVTIMEO} { // the first is for connecting too
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &limit); err != nil {
			return "", end, os.NewSyscallError("setsockopt", err)
		}
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: c.Path}); err != nil {
		return "", end, os.NewSyscallError("connect", err)
	}
	if err := trusted(fd, c.database()); err != nil {
		return "", end, err
	}
	send(fd, parts)
	reply, err = receive(fd)
	return reply, end, err
}

// send sends the parts. If the other side hangs up, its reply says why.
func send(fd int, parts [][]byte) {
	for _, part := range parts {
		for len(part) > 0 {
			n, err := unix.Write(fd, part)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return
			}
			part = part[n:]
		}
	}
}

// receive returns the line that comes.
func receive(fd int) (string, error) {
	reply := make([]byte, 0, 512)
	for {
		if len(reply) == cap(reply) {
			reply = append(reply, 0)[:len(reply)]
		}
		n, err := unix.Read(fd, reply[len(reply):cap(reply)])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return "", os.NewSyscallError("read", err)
		case n == 0 && len(reply) == 0:
			return "", io.ErrUnexpectedEOF
		case n == 0:
			return string(reply), nil
		default:
			reply = reply[:len(reply)+n]
			if reply[len(reply)-1] == '\n' {
				return string(reply), nil
			}
		}
	}
}
