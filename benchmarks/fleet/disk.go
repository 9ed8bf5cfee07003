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

// disk is a file system of its own in a file, which can be full without harm to others. It
// takes root.
type disk struct{ image, folder string }

// newDisk makes a disk of so many bytes and mounts it on a folder; nil if that cannot be done here.
func newDisk(folder string, bytes int64) *disk {
	d := &disk{folder + ".image", folder}
	if os.Getuid() != 0 || os.MkdirAll(folder, 0o700) != nil {
		return nil
	}
	f, err := os.Create(d.image)
	if err != nil {
		return nil
	}
	err = errors.Join(f.Truncate(bytes), f.Close())
	for _, c := range [][]string{{"mkfs.ext4", "-q", "-m", "0", d.image}, {"mount", "-o", "loop", d.image, folder}} {
		if err == nil {
			err = exec.Command(c[0], c[1:]...).Run()
		}
	}
	if err != nil {
		os.Remove(d.image)
		return nil
	}
	return d
}

func (d *disk) ballast() string { return filepath.Join(d.folder, "ballast") }

// fill takes all the room there is, also what is given back later.
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

// free gives the room back.
func (d *disk) free() error { return os.Remove(d.ballast()) }

func (d *disk) close() error {
	if d == nil {
		return nil
	}
	return errors.Join(syscall.Unmount(d.folder, 0), os.Remove(d.image))
}
