// Package gate accepts the connections of listeners, and bounds their number and the
// bytes of their messages in memory.
package gate

import (
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/access"
)

const (
	// lingerTime is how long a connection is still read after the last reply. Closing it
	// with bytes unread would discard replies that the other side has not read.
	lingerTime = 2 * time.Second
	// lingerBytes is how many unwanted bytes are read meanwhile.
	lingerBytes = 64 << 20
	// refusals is how many excess connections are sent a refusal at a time.
	refusals = 64
)

// take adds a connection, and returns the one that has to end for it; false if there is no place. When all are
// taken, a peer, an address or the user of a unix socket, gets a place of one that has more: so none keeps others out.
func (s *Server) take(n *conn) (ends *conn, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open >= s.Connections {
		greedy := ""
		for peer, all := range s.peers {
			if more := len(all) - len(s.peers[greedy]); more > 0 || more == 0 && peer < greedy {
				greedy = peer
			}
		}
		if len(s.peers[greedy]) < len(s.peers[n.peer])+2 {
			return nil, false
		}
		for each := range s.peers[greedy] {
			if ends == nil || each.read.Load() < ends.read.Load() {
				ends = each
			}
		}
		s.drop(ends)
	}
	if s.peers[n.peer] == nil {
		s.peers[n.peer] = map[*conn]bool{}
	}
	s.peers[n.peer][n] = true
	s.open++
	return ends, true
}

// drop removes a connection, if it is there. The caller holds mu.
func (s *Server) drop(n *conn) {
	all := s.peers[n.peer]
	if !all[n] {
		return
	}
	s.open--
	if delete(all, n); len(all) == 0 {
		delete(s.peers, n.peer)
	}
}

type listener struct {
	net.Listener
	server *Server
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, server: l.server, peer: peerOf(inner)}
		c.read.Store(time.Now().UnixNano())
		ends, ok := l.server.take(c)
		if ends != nil {
			l.server.Log.Warn("connection ended: its peer has the most, and another needs a place", "address", l.Addr().String(), "limit", l.server.Connections)
			ends.Conn.Close()
		}
		if ok {
			return c, nil
		}
		l.refuse(inner)
	}
}

// peerOf names the other side of a connection: its address, or its user. One host has all
// addresses of an IPv6 network of 64 bits.
func peerOf(c net.Conn) string {
	if a, ok := c.RemoteAddr().(*net.TCPAddr); ok {
		if a.IP.To4() == nil {
			return a.IP.Mask(net.CIDRMask(64, 128)).String()
		}
		return a.IP.String()
	}
	return strconv.Itoa(access.UID(c))
}

func (l *listener) refuse(c net.Conn) {
	l.server.Log.Warn("connection refused: too many are open", "address", l.Addr().String(), "limit", l.server.Connections)
	if l.server.Refusal == "" {
		c.Close()
		return
	}
	if l.server.refused.Add(1) > refusals {
		l.server.refused.Add(-1)
		c.Close()
		return
	}
	go func() {
		defer l.server.refused.Add(-1)
		c.SetDeadline(time.Now().Add(lingerTime))
		c.Read(make([]byte, 1)) // some clients take no reply before they have asked
		c.SetDeadline(time.Now().Add(lingerTime))
		io.WriteString(c, l.server.Refusal)
		Linger(c)
	}()
}

// A conn gives its place back when it is closed.
type conn struct {
	net.Conn
	server *Server
	peer   string
	read   atomic.Int64 // when something came last, in nanoseconds since 1970
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.read.Store(time.Now().UnixNano())
	}
	return n, err
}

func (c *conn) Close() error {
	c.server.mu.Lock()
	c.server.drop(c)
	c.server.mu.Unlock()
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
