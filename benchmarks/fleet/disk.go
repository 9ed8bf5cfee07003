//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// disk is a separate file system in a file, which can be full without harm to others.
type disk struct{ image, folder string }

// diskBytes is its size.
const diskBytes = 4 << 30

// canMount reports whether such disks are possible.
func canMount() bool {
	_, err := exec.LookPath("mkfs.ext4")
	return err == nil && os.Getuid() == 0
}

// newDisk makes a disk, mounts it on a folder, and moves the folder's content there.
func newDisk(folder string) (*disk, error) {
	d := &disk{folder + ".image", folder}
	f, err := os.Create(d.image)
	if err != nil {
		return nil, err
	}
	err = errors.Join(f.Truncate(diskBytes), f.Close())
	for _, c := range [][]string{
		{"mkfs.ext4", "-q", "-m", "0", d.image}, {"mv", folder, folder + ".was"}, {"mkdir", "-m", "700", folder},
		{"mount", "-o", "loop", d.image, folder}, {"cp", "-a", folder + ".was/.", folder}, {"rm", "-r", folder + ".was"},
	} {
		if err != nil {
			return nil, err
		}
		var out []byte
		if out, err = exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			err = fmt.Errorf("%s: %w: %s", c, err, out)
		}
	}
	return d, err
}

func (d *disk) ballast() string { return filepath.Join(d.folder, "ballast") }

// fill takes all free space, also space freed later.
func (d *disk) fill() error {
	f, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("filling %s: %w", d.folder, err)
	}
	return nil
}

// free frees the space.
func (d *disk) free() error { return os.Remove(d.ballast()) }

func (d *disk) close() error {
	if d == nil {
		return nil
	}
	return errors.Join(syscall.Unmount(d.folder, 0), os.Remove(d.image))
}
