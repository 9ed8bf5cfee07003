package client

import (
	"io"
	"net"
	"time"
)

// dial connects to the socket of a daemon that may be trusted.
func (c *Client) dial() (io.ReadWriteCloser, error) {
	conn, err := net.DialTimeout("unix", c.Path, c.Timeout)
	if err != nil {
		return nil, err
	}
	if err := trusted(conn.(*net.UnixConn), c.database()); err != nil {
		conn.Close()
		return nil, err
	}
	return timed{conn, c.Timeout}, nil
}

// timed is a connection with a time limit for each step.
type timed struct {
	net.Conn
	limit time.Duration
}

func (t timed) Read(p []byte) (int, error) {
	_ = t.SetDeadline(time.Now().Add(t.limit))
	return t.Conn.Read(p)
}

func (t timed) Write(p []byte) (int, error) {
	_ = t.SetDeadline(time.Now().Add(t.limit))
	return t.Conn.Write(p)
}
