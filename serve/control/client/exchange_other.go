//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package client

import (
	"bufio"
	"net"
	"time"
)

// exchange sends the parts to a socket and returns what comes back.
func exchange(path string, timeout time.Duration, parts ...[]byte) (string, error) {
	c, err := net.DialTimeout("unix", path, timeout)
	if err != nil {
		return "", err
	}
	defer c.Close()
	for _, part := range parts {
		_ = c.SetDeadline(time.Now().Add(timeout))
		if _, err := c.Write(part); err != nil {
			break // it may have said why
		}
	}
	_ = c.SetDeadline(time.Now().Add(timeout))
	return bufio.NewReader(c).ReadString('\n')
}
