//go:build unix

package terminal

import (
	"os"
	"syscall"
	"testing"
)

// A file is ready always, and a pipe until it is full.
func TestReady(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if !Ready(null) || !Ready(w) {
		t.Error("the null device or an empty pipe is not ready")
	}
	fd := int(w.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = syscall.Write(fd, make([]byte, 4096))
	}
	if err != syscall.EAGAIN || Ready(w) {
		t.Errorf("a pipe that cannot be written to, %v, is ready", err)
	}
}
