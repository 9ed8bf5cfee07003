//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package client

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// dial connects to the socket. It does without package net, whose start takes longer than
// everything else here.
func (c *Client) dial() (io.ReadWriteCloser, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	if err := c.connect(fd); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return socket(fd), nil
}

// connect connects a socket to a daemon that may be trusted.
func (c *Client) connect(fd int) error {
	unix.CloseOnExec(fd)
	limit := unix.NsecToTimeval(int64(c.Timeout))
	for _, option := range []int{unix.SO_SNDTIMEO, unix.SO_RCVTIMEO} { // the first is for connecting too
		if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, option, &limit); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: c.Path}); err != nil {
		return os.NewSyscallError("connect", err)
	}
	return trusted(fd, c.database())
}

// socket is the descriptor of a connected socket.
type socket int

func (s socket) Read(p []byte) (int, error) {
	for {
		switch n, err := unix.Read(int(s), p); {
		case err == unix.EINTR:
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (s socket) Write(p []byte) (written int, err error) {
	for written < len(p) {
		n, err := unix.Write(int(s), p[written:])
		if err != nil && err != unix.EINTR {
			return written, os.NewSyscallError("write", err)
		}
		written += max(n, 0)
	}
	return written, nil
}

func (s socket) Close() error { return unix.Close(int(s)) }
