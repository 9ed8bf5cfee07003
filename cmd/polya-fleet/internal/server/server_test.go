package server

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
)

func newConfig(t *testing.T) *config.Config {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return &config.Config{Name: "a", Nodes: []string{"a"}, Fleet: "f", Server: config.Server{Listen: l.Addr().String(), Store: filepath.Join(t.TempDir(), "log")}}
}

// A server that has given up its log, as on a full disk, starts again, and nobody else reads the log.
func TestStartsAgain(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	s, err := Start(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if info, err := os.Stat(c.Server.Store); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := s.server.Load().ShutdownJetStream(); err != nil {
		t.Fatal(err)
	}
	if got := s.Sync(); got != "off" {
		t.Errorf("sync %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Watch(ctx); close(done) }()
	for end := time.Now().Add(time.Minute); s.Sync() != "always"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it has no log")
		}
	}
	cancel()
	<-done
}

// What is said of the disk is what the server does.
func TestSync(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	c.Server.Every = 90 * time.Second
	s, err := Start(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.Sync(); got != "every 1m30s" {
		t.Errorf("sync %s", got)
	}
}

// An address that is taken is an error, and does not end the process.
func TestAddressIsTaken(t *testing.T) {
	t.Parallel()
	c := newConfig(t)
	l, err := net.Listen("tcp", c.Server.Listen)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if s, err := Start(c, slog.New(slog.DiscardHandler)); err == nil {
		s.Close()
		t.Error("it listens where another does")
	}
}
