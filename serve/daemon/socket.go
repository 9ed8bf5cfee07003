package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/serve/config"
)

// socket is an open socket. Each service that listens on it has a listener of its own.
type socket struct {
	file *os.File
	path string      // that was made for it, "" for others
	info fs.FileInfo // of the path then
}

// place is where a socket is; see config.Listener.Where.
type place struct{ network, address string }

// named is a listener at the path of a socket, which was made at another.
type named struct {
	net.Listener
	path string
}

// Addr is the address that clients connect to.
func (n named) Addr() net.Addr { return &net.UnixAddr{Name: n.path, Net: "unix"} }

func (s *socket) listener() (net.Listener, error) {
	l, err := net.FileListener(s.file)
	if err == nil && s.path != "" {
		l = named{l, s.path}
	}
	return l, err
}

// there reports whether the path of the socket is still in its place.
func (s *socket) there() bool {
	if s.path == "" {
		return true
	}
	now, err := os.Lstat(s.path)
	return err == nil && os.SameFile(now, s.info)
}

// close closes the socket and removes its path, unless another has taken its place.
func (s *socket) close() {
	if s.path != "" && s.there() {
		os.Remove(s.path)
	}
	s.file.Close()
}

// listen opens the listeners of a service: one, or those of the sockets that systemd has opened by this
// name. A socket on which another service listens now gets mode and group of this one, so that clients
// find it at every moment.
func (d *Daemon) listen(s *service) error {
	s.sockets = d.held[s.at]
	switch held := s.sockets; {
	case s.at.network == "systemd" && held == nil:
		return fmt.Errorf("systemd has opened no socket of the name %s", s.at.address)
	case s.at.network == "systemd":
	case held == nil || !held[0].there():
		made, err := d.make(s)
		if err != nil {
			return err
		}
		d.release(s.at)
		s.sockets = []*socket{made}
		d.held[s.at] = s.sockets
	case held[0].path != "":
		if _, err := dress(held[0].path, held[0].path, &s.asked.Listener); err != nil {
			return err
		}
	}
	for _, h := range s.sockets {
		l, err := h.listener()
		if err != nil {
			return err
		}
		s.listeners = append(s.listeners, l)
		host, _, _ := net.SplitHostPort(l.Addr().String())
		if l.Addr().Network() != "unix" && !s.asked.Remote && !config.Loopback(host) {
			return fmt.Errorf("other machines reach %s: if that is meant, set remote = true", l.Addr())
		}
	}
	return nil
}

// make makes the socket of a service.
func (d *Daemon) make(s *service) (*socket, error) {
	if s.at.network == "unix" {
		if err := free(s.at.address, d.log); err != nil {
			return nil, err
		}
		return bind(s.at.address+markNew, s.at.address, &s.asked.Listener, d.log)
	}
	l, err := net.Listen(s.at.network, s.at.address)
	if err != nil {
		return nil, plainly(err, s.at.address)
	}
	defer l.Close()
	file, err := l.(*net.TCPListener).File()
	return &socket{file: file}, err
}

// release closes the sockets at a place, if the daemon has any. What systemd has opened stays open.
func (d *Daemon) release(at place) {
	if at.network != "systemd" {
		for _, s := range d.held[at] {
			s.close()
		}
		delete(d.held, at)
	}
}

// releaseUnused closes the sockets on which no service listens.
func (d *Daemon) releaseUnused() {
	used := make(map[place]bool)
	for _, s := range d.serving {
		used[s.at] = true
	}
	for at := range d.held {
		if !used[at] {
			d.release(at)
		}
	}
}

// markNew ends the temporary name of a socket.
const markNew = ".new"

// bind makes a socket that gets its path from its temporary one: it has its mode and group then, so that
// nobody can connect before. It replaces a socket that nobody listens on.
func bind(fresh, path string, c *config.Listener, log *slog.Logger) (*socket, error) {
	if err := free(fresh, log); err != nil {
		return nil, err
	}
	os.Remove(fresh)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, plainly(err, path)
	}
	l.SetUnlinkOnClose(false)
	defer l.Close()
	info, err := dress(fresh, path, c)
	if err != nil {
		os.Remove(fresh)
		return nil, err
	}
	file, err := l.File()
	return &socket{file, path, info}, err
}

var errListens = errors.New("another process listens")

// plainly rewords an error of listening on an address.
func plainly(err error, address string) error {
	folder := filepath.Dir(address)
	switch path := strings.HasPrefix(address, "/"); {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w on %s", errListens, address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("this machine does not have the address %s", address)
	case errors.Is(err, fs.ErrPermission) && path:
		return fmt.Errorf("the user of this process (%d) may not write to the folder %s", os.Geteuid(), folder)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the user of this process (%d) may not listen on the port of %s", os.Geteuid(), address)
	case errors.Is(err, syscall.EROFS) && path:
		return fmt.Errorf("the folder %s is on a read-only file system, or the unit does not name it in ReadWritePaths", folder)
	case errors.Is(err, fs.ErrNotExist) && path:
		return fmt.Errorf("the folder %s does not exist", folder)
	}
	return err
}

// dress gives a fresh socket its group, mode and path. In a folder that others can write to, a
// link in place of the socket must not change anything outside the folder.
func dress(fresh, path string, c *config.Listener) (fs.FileInfo, error) {
	dir, err := os.OpenRoot(filepath.Dir(fresh))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	name := filepath.Base(fresh)
	err = dir.Chmod(name, 0o600)
	if err == nil && c.Group != "" {
		var gid int
		if gid, err = config.GroupID(c.Group); err == nil {
			err = give(dir, name, gid, c.Group)
		}
	}
	if err == nil {
		err = dir.Chmod(name, fs.FileMode(c.Mode))
	}
	if err == nil {
		err = dir.Rename(name, filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	return dir.Lstat(filepath.Base(path))
}

// give gives a socket to a group.
func give(dir *os.Root, name string, gid int, group string) error {
	err := dir.Lchown(name, -1, gid)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the user of this process (%d) may not give a socket to the group %s: it is not in that group, or was added to it after the process had started", os.Geteuid(), group)
	}
	return err
}

// free returns an error unless a socket can be made at the path: there is nothing, or a
// socket that a process left behind.
func free(path string, log *slog.Logger) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is there and is no socket", path)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		c.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w on %s", errListens, path)
	}
	log.Info("socket that was left behind is replaced", "path", path)
	return nil
}
