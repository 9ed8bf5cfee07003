package servetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/internal/programs"
)

// Run runs a program to its end and returns what it wrote and its exit code.
func Run(t testing.TB, input, program string, args ...string) (output string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = bytes.NewReader([]byte(input))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatalf("%s %q: %v", program, args, err)
	}
	if stderr.Len() > 0 {
		t.Logf("%s %q: %s", program, args, stderr.Bytes())
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Start runs a program until the test ends. What it writes is logged if the test fails.
func Start(t testing.TB, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	log, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		kill.Stop()
		log.Close()
		if said, _ := os.ReadFile(log.Name()); t.Failed() && len(said) > 0 {
			t.Logf("%s: %s", program, said)
		}
	})
}

// Serve lets a server serve a listener of its own until the test ends: on a socket in a
// new folder, or a port of the loopback. It returns its address.
func Serve(t testing.TB, network string, serve func(context.Context, net.Listener) error) string {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(programs.Dir(t), "s")
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	if network == "unix" {
		if err := os.Chmod(address, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return l.Addr().String()
}

// Log is a logger whose records must not have any of these words, which are of messages
// or secret, and must have records.
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

// Dying serves as a server does that is killed, or stopped, in the middle of a reply: it
// reads a little, says so much, and then nothing, or closes the connection.
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

// Chown gives folders to a user of the system, making those that are not there. The
// test is left out without the user, and without the right to.
func Chown(t testing.TB, name string, dirs ...string) {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil || os.Getuid() != 0 {
		programs.Leave(t, fmt.Sprintf("running as the user %s takes root, and that user: %v", name, err))
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	for _, dir := range dirs {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chown(dir, uid, gid)); err != nil {
			t.Fatal(err)
		}
	}
}
