package maildir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// watched are the changes to wait for.
const watched = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE | unix.IN_ONLYDIR

// quiet is how long no further change must happen, so that related changes are seen together.
const quiet = 50 * time.Millisecond

// Wait waits until something has changed in the folders since they were listed, at most for the
// given time.
func (b *Box) Wait(ctx context.Context, most time.Duration) error {
	changed, err := b.watch()
	if err != nil || changed {
		return err
	}
	if err := b.notice.SetReadDeadline(time.Now().Add(most)); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { b.notice.SetReadDeadline(time.Unix(1, 0)) })()
	buf := make([]byte, 64<<10)
	for end := time.Now().Add(most); ; {
		_, err := b.notice.Read(buf)
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
		if err := b.notice.SetReadDeadline(until); err != nil {
			return err
		}
	}
}

// watch has changes of the folders told, and reports whether one has changed since it was listed.
// A folder that is told of already stays so.
func (b *Box) watch() (changed bool, err error) {
	if b.notice == nil {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
		if err != nil {
			return false, os.NewSyscallError("inotify_init", err)
		}
		b.notice = os.NewFile(uintptr(fd), "inotify")
	}
	control, err := b.notice.SyscallConn()
	if err != nil {
		return false, err
	}
	for name, f := range b.folders {
		for _, dir := range dirs {
			path := filepath.Join(b.root, name, dir)
			control.Control(func(fd uintptr) { _, err = unix.InotifyAddWatch(int(fd), path, watched) })
			if err != nil && !errors.Is(err, unix.ENOENT) {
				return false, &os.PathError{Op: "inotify_add_watch", Path: path, Err: err}
			}
		}
		times, _, err := b.times(name)
		changed = changed || err != nil || times != f.times
	}
	return changed, nil
}
