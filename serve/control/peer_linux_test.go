package control

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// Another user has no say, even if he can open the socket.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	b := &servetest.Backend{}
	c := serve(t, b, Options{})
	for path, mode := range map[string]os.FileMode{filepath.Dir(c.Path): 0o755, c.Path: 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	done := make(chan struct{})
	go func() { // a thread that is not used again
		defer close(done)
		runtime.LockOSThread()
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), 65534, ^uintptr(0)); errno != 0 {
			err = errno
			return
		}
		_, err = c.Learn(t.Context(), backend.Request{Message: []byte("a: b\n")}, "spam")
	}()
	<-done
	if !errors.Is(err, backend.ErrForbidden) || len(b.Calls()) != 0 {
		t.Errorf("%v, %d calls", err, len(b.Calls()))
	}
}
