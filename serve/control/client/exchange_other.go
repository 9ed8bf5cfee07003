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
func (to *Client) exchange(hold bool, parts ...[]byte) (string, error) {
	c, err := net.DialTimeout("unix", to.Path, to.Timeout)
	if err != nil {
		return "", err
	}
	if hold {
		held = append(held, c)
	} else {
		defer c.Close()
	}
	for _, part := range parts {
		_ = c.SetDeadline(time.Now().Add(to.Timeout))
		if _, err := c.Write(part); err != nil {
			break // it may have said why
		}
	}
	_ = c.SetDeadline(time.Now().Add(to.Timeout))
	return bufio.NewReader(c).ReadString('\n')
}
