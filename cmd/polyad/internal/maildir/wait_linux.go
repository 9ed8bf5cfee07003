package maildir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
)

// A Notice waits for changes of folders.
type Notice struct{ file *os.File }

// watched are the changes to wait for.
const watched = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE | unix.IN_ONLYDIR

// Notice returns a Notice about these folders.
func (b *Box) Notice(folders filing.Rules) (*Notice, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init", err)
	}
	n := &Notice{os.NewFile(uintptr(fd), "inotify")}
	for _, f := range folders {
		for _, dir := range dirs {
			path := filepath.Join(b.root, f.Name, dir)
			if _, err := unix.InotifyAddWatch(fd, path, watched); err != nil {
				n.file.Close()
				return nil, &os.PathError{Op: "inotify_add_watch", Path: path, Err: err}
			}
		}
	}
	return n, nil
}

// quiet is how long no further change must happen, so that related changes are seen together.
const quiet = 50 * time.Millisecond

// Wait waits until something has changed, at most for the given time.
func (n *Notice) Wait(ctx context.Context, most time.Duration) error {
	if err := n.file.SetReadDeadline(time.Now().Add(most)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { n.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	buf := make([]byte, 64<<10)
	for end := time.Now().Add(most); ; {
		_, err := n.file.Read(buf)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
		until := time.Now().Add(quiet)
		if until.After(end) {
			return nil
		}
		if err := n.file.SetReadDeadline(until); err != nil {
			return err
		}
	}
}

// Close ends the Notice.
func (n *Notice) Close() error { return n.file.Close() }
