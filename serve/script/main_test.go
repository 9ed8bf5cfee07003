package script

import (
	"context"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the daemon that tests stop and kill: with the name of a socket in the
// environment, it is nothing else.
func TestMain(m *testing.M) {
	path := os.Getenv("POLYA_TEST_SCRIPT")
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := New(Options{Backend: &fake{learned: map[string]string{"bob@example.test casino": "spam"}}})
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		panic(err)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	time.AfterFunc(time.Minute, cancel) // no test is that long
	if err := s.Serve(ctx, l); err != nil {
		panic(err)
	}
}
