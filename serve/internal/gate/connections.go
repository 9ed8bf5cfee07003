// Package gate takes the connections of listeners, and bounds how many there are and how
// many bytes of their messages are in memory.
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
	// lingerTime is how long a connection is read on after the last word was said on it.
	// To close it with bytes unread would throw away what the other side has not read.
	lingerTime = 2 * time.Second
	// lingerBytes is how much of a message that is not wanted is read meanwhile.
	lingerBytes = 64 << 20
	// refusals is how many connections too many are told so at the same time. Beyond
	// that they are closed without a word.
	refusals = 64
)

// Connections counts the connections of listeners that share a limit.
type Connections struct {
	max              int64
	log              *slog.Logger
	open, refusedNow atomic.Int64
}

// NewConnections allows that many connections at a time, and logs each that is refused.
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

// Linger closes a connection on which everything is said, without losing what the other
// side has not read yet: it is told that no more comes, and for a short time what it
// still sends is read.
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
