package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	systemd "github.com/coreos/go-systemd/v22/daemon"

	"github.com/polya-classifier/polya/serve/config"
)

// socket is an open listener.
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

func (s *socket) there() bool {
	now, err := os.Lstat(s.path)
	return err == nil && os.SameFile(now, s.info)
}

// end removes the socket's file, unless that is another's now, and closes the listener.
func (s *socket) end() error {
	if s.path != "" && s.there() {
		os.Remove(s.path)
	}
	return s.Close()
}

// again opens the same socket a second time, with the mode and group of another listener.
func (s *socket) again(c *config.Listener) ([]*socket, error) {
	f, err := s.Listener.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if s.path != "" {
		if _, err := dress(s.path, s.path, c); err != nil {
			return nil, err
		}
	}
	l, err := net.FileListener(f)
	if err != nil {
		return nil, err
	}
	return []*socket{{Listener: l, path: s.path, info: s.info}}, nil
}

// listen opens the sockets of a listener: one, or those that systemd has of this name.
func (d *Daemon) listen(c *config.Listener) ([]*socket, error) {
	switch network, address := c.Where(); network {
	case "unix":
		if err := free(address, d.log); err != nil {
			return nil, err
		}
		s, err := bind(address+markNew, address, c, d.log)
		if err != nil {
			return nil, err
		}
		return []*socket{s}, nil
	case "systemd":
		return d.take(address, c)
	default:
		l, err := listenTCP(address)
		if err != nil {
			return nil, err
		}
		return []*socket{{Listener: l}}, nil
	}
}

// listenTCP listens on an address: on 0.0.0.0 by IPv4 alone, and on localhost by IPv6 where there is no IPv4.
func listenTCP(address string) (net.Listener, error) {
	network := "tcp"
	host, port, _ := net.SplitHostPort(address)
	if net.ParseIP(host).To4() != nil {
		network = "tcp4"
	}
	l, err := net.Listen(network, address)
	if host == "localhost" && errors.Is(err, syscall.EADDRNOTAVAIL) {
		if l, failed := net.Listen("tcp6", net.JoinHostPort("::1", port)); failed == nil {
			return l, nil
		}
	}
	return l, plainly(err, address)
}

// take returns the sockets, which stay open, that systemd has opened by the name, also with an error.
func (d *Daemon) take(name string, c *config.Listener) (sockets []*socket, err error) {
	for _, f := range d.inherited[name] {
		l, err := net.FileListener(f)
		if err != nil {
			return sockets, fmt.Errorf("socket %s of systemd: %w", name, err)
		}
		sockets = append(sockets, &socket{Listener: l})
		if l.Addr().Network() == "unix" {
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

// markNew ends the temporary name of a socket.
const markNew = ".new"

// bind makes a socket. It gets its mode and group under a temporary name, so that nobody can connect
// before they are set, and replaces what has the path.
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
	info, err := dress(fresh, path, c)
	if err != nil {
		l.Close()
		os.Remove(fresh)
		return nil, err
	}
	return &socket{Listener: l, path: path, info: info}, nil
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
		return fmt.Errorf("the user of this process (%d) may not listen on the port of %s: take one from 1024 on, or a socket of systemd", os.Geteuid(), address)
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

// inherited takes the sockets that systemd has opened for this process, by name, out of the environment.
func inherited() map[string][]*os.File {
	files := map[string][]*os.File{}
	for _, f := range activation.Files(true) {
		files[f.Name()] = append(files[f.Name()], f)
	}
	return files
}

func allUnix(files []*os.File) bool {
	return !slices.ContainsFunc(files, func(f *os.File) bool {
		l, err := net.FileListener(f)
		if err != nil {
			return true
		}
		defer l.Close()
		return l.Addr().Network() != "unix"
	})
}

// notify tells systemd, if it is there, the state of the daemon, such as "READY=1"; see sd_notify(3).
func notify(state string) { _, _ = systemd.SdNotify(false, state) }
