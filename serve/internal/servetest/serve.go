package servetest

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Serve lets a server serve a listener of its own until the test ends: on a socket in a
// new folder, or a port of the loopback. It returns its address.
func Serve(t testing.TB, network string, serve func(context.Context, net.Listener) error) string {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(Dir(t), "s")
	}
	l := Listen(t, network, address)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// Log returns a logger. The test fails if a record contains one of the words, which come
// from messages or are secret, or if there are no records.
func Log(t testing.TB, secret ...string) *slog.Logger {
	var log strings.Builder // which one record at a time goes into
	t.Cleanup(func() {
		if log.Len() == 0 {
			t.Error("nothing was logged")
		}
		for _, word := range secret {
			if strings.Contains(log.String(), word) {
				t.Errorf("%q was logged: %s", word, log.String())
			}
		}
	})
	return slog.New(slog.NewTextHandler(&log, nil))
}

// Listen listens on a port, or on a socket for everybody, replacing any file there.
func Listen(t testing.TB, network, address string) net.Listener {
	t.Helper()
	os.Remove(address)
	l, err := net.Listen(network, address)
	if err == nil && network == "unix" {
		err = os.Chmod(address, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}
