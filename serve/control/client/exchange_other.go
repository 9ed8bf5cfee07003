//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package client

import (
	"bufio"
	"net"
	"time"
)

// exchange sends the parts to a socket and returns what comes back. The connection lasts until
// end is called or the process ends; end is nil after an error.
func (to *Client) exchange(parts ...[]byte) (reply string, end func(), err error) {
	c, err := net.DialTimeout("unix", to.Path, to.Timeout)
	if err != nil {
		return "", nil, err
	}
	for _, part := range parts {
		_ = c.SetDeadline(time.Now().Add(to.Timeout))
		if _, err := c.Write(part); err != nil {
			break // it may have said why
		}
	}
	_ = c.SetDeadline(time.Now().Add(to.Timeout))
	if reply, err = bufio.NewReader(c).ReadString('\n'); err != nil {
		c.Close()
		return "", nil, err
	}
	return reply, func() { c.Close() }, nil
}
