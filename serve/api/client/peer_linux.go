package client

import (
	"errors"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errStranger says that a socket does not belong to the database's daemon: in a folder
// that others can write to, anybody can create one.
var errStranger = errors.New("another user listens")

// trusted returns an error unless root, this user or the owner of the database listens.
func trusted(c *net.UnixConn, database string) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	failed := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(failed, err); err != nil {
		return os.NewSyscallError("getsockopt", err)
	}
	if peer.Uid == 0 || int(peer.Uid) == os.Geteuid() {
		return nil
	}
	var info syscall.Stat_t
	if err := syscall.Lstat(database, &info); err == nil && info.Uid == peer.Uid {
		return nil
	}
	return errStranger
}
