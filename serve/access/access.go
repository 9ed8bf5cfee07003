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
}

// A Rule reports whether a caller may teach.
type Rule func(Caller) bool

// Owner is the rule by default: the token opens every socket; a unix socket is also open
// to root and to the user that the daemon runs as.
func Owner(c Caller) bool {
	return c.Token || c.UID == 0 || c.UID > 0 && c.UID == os.Getuid()
}

// Self is Owner's rule, and besides opens a unix socket to each user of the system for a
// database of his own name. It is for databases of users: where there is a shared one
// only, everybody could teach it.
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

// Token reports whether the token that was shown is the right one. There is no right
// one while none is configured. How long it takes tells nothing about the token.
func Token(right, shown string) bool {
	a, b := sha256.Sum256([]byte(right)), sha256.Sum256([]byte(shown))
	return right != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// UID is the user id of the process at the other end of a unix socket, or -1 for other
// connections and where the system does not tell.
func UID(c net.Conn) int {
	if inner, ok := c.(interface{ NetConn() net.Conn }); ok {
		return UID(inner.NetConn())
	}
	if unix, ok := c.(*net.UnixConn); ok {
		return peer(unix)
	}
	return -1
}
