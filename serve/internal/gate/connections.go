// Package gate accepts the connections of listeners, and bounds their number and the
// bytes of their messages in memory.
package gate

import (
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lingerTime is how long a connection is still read after the last reply. Closing it
	// with bytes unread would discard replies that the other side has not read.
	lingerTime = 2 * time.Second
	// lingerBytes is how many unwanted bytes are read meanwhile.
	lingerBytes = 64 << 20
	// refusals is how many excess connections are sent a refusal at the same time. Others
	// are closed without one.
	refusals = 64
)

// Connections counts the connections of listeners that share a limit.
type Connections struct {
	max              int64
	log              *slog.Logger
	open, refusedNow atomic.Int64
}

// NewConnections allows limit connections at a time, and logs each refusal.
func NewConnections(limit int, log *slog.Logger) *Connections {
	return &Connections{max: int64(limit), log: log}
}

// Listener accepts the connections of l that are within the limit. Others are sent the
// refusal, unless it is "", and closed.
func (c *Connections) Listener(l net.Listener, refusal string) net.Listener {
	return &listener{l, c, refusal}
}

type listener struct {
	net.Listener
	all     *Connections
	refusal string
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.all.open.Add(1) <= l.all.max {
			return &conn{Conn: inner, all: l.all}, nil
		}
		l.all.open.Add(-1)
		l.refuse(inner)
	}
}

func (l *listener) refuse(c net.Conn) {
	l.all.log.Warn("connection refused: too many are open", "address", l.Addr().String(), "limit", l.all.max)
	if l.refusal == "" {
		c.Close()
		return
	}
	if l.all.refusedNow.Add(1) > refusals {
		l.all.refusedNow.Add(-1)
		c.Close()
		return
	}
	go func() {
		defer l.all.refusedNow.Add(-1)
		c.SetDeadline(time.Now().Add(lingerTime))
		c.Read(make([]byte, 1)) // some clients take no reply before they have asked
		c.SetDeadline(time.Now().Add(lingerTime))
		io.WriteString(c, l.refusal)
		Linger(c)
	}()
}

// A conn gives its place back when it is closed.
type conn struct {
	net.Conn
	all  *Connections
	once sync.Once
}

func (c *conn) Close() error {
	c.once.Do(func() { c.all.open.Add(-1) })
	return c.Conn.Close()
}

// NetConn is the connection itself.
func (c *conn) NetConn() net.Conn { return c.Conn }

// Linger closes a connection without losing replies that the other side has not read yet:
// it shuts down writing, and reads for a short time what the other side still sends.
func Linger(c net.Conn) {
	defer c.Close()
	inner := c
	if wrapped, ok := c.(*conn); ok {
		inner = wrapped.Conn
	}
	half, ok := inner.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	c.SetReadDeadline(time.Now().Add(lingerTime))
	io.CopyN(io.Discard, c, lingerBytes)
}
