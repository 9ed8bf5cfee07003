package servetest

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
	var log writer
	t.Cleanup(func() {
		if log.text.Len() == 0 {
			t.Error("nothing was logged")
		}
		for _, word := range secret {
			if strings.Contains(log.text.String(), word) {
				t.Errorf("%q was logged: %s", word, log.text.String())
			}
		}
	})
	return slog.New(slog.NewTextHandler(&log, nil))
}

type writer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// Dying serves like a server that is killed, or stopped, in the middle of a reply: it
// reads a little, writes says, and then closes the connection or writes nothing more.
func Dying(says string, stopped bool) func(context.Context, net.Listener) error {
	return func(ctx context.Context, l net.Listener) error {
		defer context.AfterFunc(ctx, func() { l.Close() })()
		for {
			c, err := l.Accept()
			if err != nil {
				return nil
			}
			defer context.AfterFunc(ctx, func() { c.Close() })()
			go func() {
				c.Read(make([]byte, 100))
				io.WriteString(c, says)
				if !stopped {
					c.Close()
				}
			}()
		}
	}
}

// socketVariable names the socket of a daemon in a process of its own.
const socketVariable = "POLYA_TEST_SOCKET"

// Main runs the tests of a package or, in the process that Process starts, serves the socket.
func Main(m *testing.M, serve func(context.Context, net.Listener) error) {
	path := os.Getenv(socketVariable)
	if path == "" {
		os.Exit(m.Run())
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
	if err := serve(ctx, l); err != nil {
		panic(err)
	}
}

// Process starts this test in a process of its own, in which Main serves the socket, and
// waits until it listens. The process is killed when the test ends.
func Process(t testing.TB, socket string) *os.Process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), socketVariable+"="+socket)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	Until(t, "the process", func() bool { return Listening("unix", socket) })
	return cmd.Process
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
