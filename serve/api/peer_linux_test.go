package api

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/api/client"
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
	asNobody(t, func() { _, err = c.Learn(t.Context(), backend.Request{Message: []byte("a: b\n")}, "spam") })
	if !errors.Is(err, backend.ErrForbidden) || len(b.Calls()) != 0 {
		t.Errorf("%v, %d calls", err, len(b.Calls()))
	}
}

// asNobody calls f as another user, in a thread that is not used again.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), 65534, ^uintptr(0))
		if errno != 0 {
			done <- errno
			return
		}
		f()
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// No message goes to a socket that another user has put beside the database or in its folder.
func TestStranger(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	strange(t, client.Path)
	strange(t, client.FolderPath)
}

// strange has another user listen on the socket for a database.
func strange(t *testing.T, socket func(database string) string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "control")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var l net.Listener
	asNobody(t, func() { l, err = net.Listen("unix", socket(path)) })
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got := make(chan int, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		n, _ := c.Read(make([]byte, 10))
		got <- n
	}()
	c := client.Of(path, 5*time.Second)
	if c == nil || c.Path != socket(path) {
		t.Fatalf("%+v", c)
	}
	if _, err := c.Classify(t.Context(), backend.Request{Message: []byte("secret")}, false); !errors.Is(err, client.ErrAbsent) {
		t.Error(err)
	}
	if n := <-got; n != 0 {
		t.Errorf("%d bytes were sent to a stranger", n)
	}
}
