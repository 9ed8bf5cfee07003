package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/serve/access"
	"github.com/polya-classifier/polya/serve/config"
)

// Check finds what would keep Run or Spool from serving a configuration in this process, with
// its user and restrictions: it opens the files and makes the sockets, and lets go of them. A
// daemon that runs is not disturbed. notes are addresses where another process listens, which
// may be that daemon. Sockets of systemd are not looked at: it has opened them.
func Check(path string, o Options) (notes []string, err error) {
	if o.Load == nil {
		o.Load = config.Load
	}
	d, err := load(path, o)
	if err != nil {
		return nil, err
	}
	d.log = slog.New(slog.DiscardHandler)
	var wrong []error
	for _, s := range append(d.wanted(d.config, false), d.wanted(d.config, true)...) {
		note, err := d.try(s)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s %s: %w", s, s.asked.Address, err))
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	wrong = append(wrong, tryFile(d.config.Database.Path))
	if token := d.config.Learning.TokenFile; token != "" && d.config.Token == "" {
		wrong = append(wrong, tryFolder(filepath.Dir(token)))
	}
	decisions := d.config.Database.Path + ".decisions"
	if _, err := os.Lstat(decisions); err == nil && d.config.Decisions.Keep {
		wrong = append(wrong, tryFile(decisions))
	}
	return notes, errors.Join(wrong...)
}

// try makes the socket of a service under another name, or listens on its port, and closes it.
func (d *Daemon) try(s *service) (note string, err error) {
	switch network, address := s.asked.Where(); network {
	case "systemd":
		return "", nil
	case "tcp":
		l, err := listenTCP(address)
		if err == nil {
			return "", l.Close()
		}
		if errors.Is(err, errListens) {
			return err.Error(), nil
		}
		return "", err
	default:
		if _, err := os.Stat(filepath.Dir(address)); s.asked.folder && errors.Is(err, fs.ErrNotExist) {
			return "", tryFolder(filepath.Dir(filepath.Dir(address)))
		}
		if err := free(address, d.log); err != nil && !errors.Is(err, errListens) {
			return "", err
		} else if err != nil && !ours(address) {
			note = err.Error()
		}
		l, err := bind(address+markNew, address+markNew, &s.asked.Listener, d.log)
		if err != nil {
			return note, err
		}
		return note, l.end()
	}
}

// ours reports whether the process that listens on a unix socket has the user of this one.
func ours(path string) bool {
	c, err := net.Dial("unix", path)
	if err != nil {
		return false
	}
	defer c.Close()
	return access.UID(c) == os.Geteuid()
}

// tryFile opens a file for writing, as the daemon will, or finds out whether it can be made.
func tryFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return tryFolder(filepath.Dir(path))
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the user of this process (%d) may not open %s: it must belong to that user, who reads and writes it", os.Geteuid(), path)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// tryFolder makes a file in a folder and removes it.
func tryFolder(path string) error {
	f, err := os.CreateTemp(path, ".polya-check-")
	if err != nil {
		return plainly(err, filepath.Join(path, "file"))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
