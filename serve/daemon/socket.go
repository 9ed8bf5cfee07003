package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/serve/config"
)

// socket is an open listener, and what is to be done when it is closed.
type socket struct {
	net.Listener
	path string      // of the socket that was made, "" for others
	info fs.FileInfo // of it then
}

// Addr is the address that clients connect to.
func (s *socket) Addr() net.Addr {
	if s.path != "" {
		return &net.UnixAddr{Name: s.path, Net: "unix"}
	}
	return s.Listener.Addr()
}

// Close closes the listener and removes its socket, unless another has taken its place.
func (s *socket) Close() error {
	if s.path != "" {
		if now, err := os.Lstat(s.path); err == nil && os.SameFile(now, s.info) {
			os.Remove(s.path)
		}
	}
	return s.Listener.Close()
}

// listen opens the sockets of a listener: one, or those that systemd has of this name.
func (d *Daemon) listen(c *config.Listener) ([]*socket, error) {
	switch network, address := c.Where(); network {
	case "unix":
		s, err := listenUnix(address, c, d.log)
		if err != nil {
			return nil, err
		}
		return []*socket{s}, nil
	case "systemd":
		return d.take(address, c)
	default:
		l, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		return []*socket{{Listener: l}}, nil
	}
}

// take returns the sockets that systemd has opened by the name. They stay open when the
// listeners are closed.
func (d *Daemon) take(name string, c *config.Listener) (sockets []*socket, err error) {
	defer func() {
		if err != nil {
			closeSockets(sockets)
		}
	}()
	for _, f := range d.inherited[name] {
		l, err := net.FileListener(f)
		if err != nil {
			return sockets, fmt.Errorf("socket %s of systemd: %w", name, err)
		}
		sockets = append(sockets, &socket{Listener: l})
		if u, ok := l.(*net.UnixListener); ok {
			u.SetUnlinkOnClose(false)
			continue
		}
		if host, _, err := net.SplitHostPort(l.Addr().String()); err != nil || !c.Remote && !config.Loopback(host) {
			return sockets, fmt.Errorf("socket %s of systemd: other machines reach %s: if that is meant, set remote = true", name, l.Addr())
		}
	}
	if sockets == nil {
		return nil, fmt.Errorf("systemd has opened no socket of the name %s", name)
	}
	return sockets, nil
}

// listenUnix makes a socket. It gets its mode and group under another name, so that
// nobody who may not connects before, and takes the place of one that nobody listens on.
func listenUnix(path string, c *config.Listener, log *slog.Logger) (*socket, error) {
	if err := free(path, log); err != nil {
		return nil, err
	}
	fresh := path + ".new"
	if err := free(fresh, log); err != nil {
		return nil, err
	}
	os.Remove(fresh)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), fresh, path))
	}
	l.SetUnlinkOnClose(false)
	info, err := dress(fresh, c)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		l.Close()
		os.Remove(fresh)
		return nil, err
	}
	return &socket{l, path, info}, nil
}

// dress gives a socket its group and mode.
func dress(path string, c *config.Listener) (fs.FileInfo, error) {
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, err
	}
	if c.Group != "" {
		gid, err := config.GroupID(c.Group)
		if err == nil {
			err = os.Chown(path, -1, gid)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(path, fs.FileMode(c.Mode)); err != nil {
		return nil, err
	}
	return os.Lstat(path)
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
		return fmt.Errorf("another process listens on %s", path)
	}
	log.Info("socket that was left behind is replaced", "path", path)
	return nil
}

func closeSockets(sockets []*socket) {
	for _, s := range sockets {
		s.Close()
	}
}
