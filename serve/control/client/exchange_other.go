//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package client

import (
	"bufio"
	"net"
	"time"
)

// held are connections that last as long as the process.
var held []net.Conn

// exchange sends the parts to a socket and returns what comes back. It closes the
// connection unless it is to be held.
func exchange(path string, timeout time.Duration, hold bool, parts ...[]byte) (string, error) {
	c, err := net.DialTimeout("unix", path, timeout)
	if err != nil {
		return "", err
	}
	if hold {
		held = append(held, c)
	} else {
		defer c.Close()
	}
	for _, part := range parts {
		_ = c.SetDeadline(time.Now().Add(timeout))
		if _, err := c.Write(part); err != nil {
			break // it may have said why
		}
	}
	_ = c.SetDeadline(time.Now().Add(timeout))
	return bufio.NewReader(c).ReadString('\n')
}
