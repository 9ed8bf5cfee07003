package servetest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for something that a loaded machine delays.
const patience = 2 * time.Minute

// Need skips the test if one of the programs, named as they are found in PATH or by their whole
// path, is not installed. In CI, where all should be, it fails.
func Need(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			Leave(t, fmt.Sprintf("%s is not installed", filepath.Base(name)))
		}
	}
}

// Leave skips the test, or fails it in CI, for the given reason.
func Leave(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Dir makes a folder that is gone after the test, and that other users may enter.
func Dir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Port finds a TCP port of 127.0.0.1 that nobody listens on.
func Port(t testing.TB) string {
	t.Helper()
	l := Listen(t, "tcp", "127.0.0.1:0")
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// Write writes a file, and the folders that it needs.
func Write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Page reads a file of a page of docs, and replaces strings in it, given as pairs of old
// and new. Each old string must be there.
func Page(t testing.TB, path string, replace ...string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(string(b), replace[i]) {
			t.Fatalf("%s has no %q", path, replace[i])
		}
	}
	return strings.NewReplacer(replace...).Replace(string(b))
}

// Until waits until f is true, and fails the test, naming what, if that takes too long.
func Until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain for %s", patience, what)
		}
	}
}

// Listening reports whether somebody takes connections there.
func Listening(network, address string) bool {
	c, err := net.Dial(network, address)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

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
