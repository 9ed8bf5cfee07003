// Package access decides who may teach the classifier through a listener.
package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"os"
	"os/user"
	"strconv"
)

// A Caller wants to teach.
type Caller struct {
	User  string // for whom, "" for the shared database
	Token bool   // the token or the password of the configuration was shown
	UID   int    // the user id of the process at the other end of a unix socket, or -1
	Unix  bool   // he came over a unix socket
}

// Over returns the caller at the other end of a connection, who has shown no token yet.
func Over(c net.Conn) Caller { return Caller{UID: UID(c), Unix: c.LocalAddr().Network() == "unix"} }

// A Rule reports whether a caller may teach.
type Rule func(Caller) bool

// Owner is the default rule: callers with the token may teach over every socket; over a
// unix socket root and the user that the daemon runs as may teach without it.
func Owner(c Caller) bool {
	return c.Token || c.UID == 0 || c.UID > 0 && c.UID == os.Getuid()
}

// Self adds to Owner that, over a unix socket, each user of the system may teach the database of his own
// name. Use it only where users have databases: everybody could teach a shared one.
func Self(c Caller) bool {
	if Owner(c) {
		return true
	}
	if c.UID < 0 || c.User == "" {
		return false
	}
	u, err := user.LookupId(strconv.Itoa(c.UID))
	return err == nil && u.Username == c.User
}

// Anyone allows callers with the token, and all that can open a unix socket.
func Anyone(c Caller) bool { return c.Token || c.Unix }

// Token reports whether the token that was shown is the right one. While none is
// configured no token is right. Timing reveals nothing about the token.
func Token(right, shown string) bool {
	a, b := sha256.Sum256([]byte(right)), sha256.Sum256([]byte(shown))
	return right != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// UID returns the user id of the peer of a unix socket, or -1 if that is not known.
func UID(c net.Conn) int {
	if inner, ok := c.(interface{ NetConn() net.Conn }); ok {
		return UID(inner.NetConn())
	}
	if unix, ok := c.(*net.UnixConn); ok {
		return peer(unix)
	}
	return -1
}
