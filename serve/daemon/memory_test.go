package daemon

import (
	"context"
	"log/slog"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/internal/raced"
	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// Clients of one service that stall leave memory to another service.
func TestServicesShareMemory(t *testing.T) {
	t.Parallel()
	d := &Daemon{log: slog.New(slog.DiscardHandler), memory: gate.NewMemory(1<<20, 1<<18)}
	d.memory.Patience = 0
	s := &service{asked: asked{message: 1 << 18}}
	one, other := d.serverOptions(s, nil, excerpt).Memory, d.serverOptions(s, nil, excerpt).Memory
	for range 100 {
		one.NewExcerpt(1 << 18).Write([]byte("stalls"))
	}
	_, free, err := other.Read(strings.NewReader("a message"), 1<<18)
	free()
	if err != nil {
		t.Error(err)
	}
}

// What a burst leaves is given back once, when no more garbage is collected, and the limit follows
// the configuration.
func TestBoundMemory(t *testing.T) {
	raced.Skip(t)
	if testing.Short() {
		t.Skip("takes seconds of processor time")
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOMEMLIMIT is set")
	}
	forced := func() uint32 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NumForcedGC
	}
	messages := gate.NewMemory(1<<40, 1<<30)
	ctx, cancel := context.WithCancel(t.Context())
	ended, look := make(chan bool), make(chan time.Time)
	go func() {
		boundMemory(ctx, messages, look)
		close(ended)
	}()
	look <- time.Time{}
	look <- time.Time{}
	if limit := debug.SetMemoryLimit(-1); limit < 1<<40+leastHeap || limit > 2<<40 {
		t.Errorf("the limit is %d", limit)
	}
	message := messages.NewExcerpt(1 << 30)
	was := forced()
	message.Write(make([]byte, leastGarbage+leastHeap))
	for forced() == was {
		look <- time.Time{}
	}
	was = forced()
	message.Free() // and nothing is allocated afterwards
	for forced() == was {
		look <- time.Time{}
	}
	for range 4 {
		look <- time.Time{}
	}
	if n := forced(); n > was+1 {
		t.Errorf("%d collections were forced after one", n-was)
	}
	cancel()
	<-ended
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Error("the limit outlives its daemon")
	}
}

// A process that only spools bounds its memory too.
func TestSpoolBoundsMemory(t *testing.T) {
	if os.Getenv("GOMEMLIMIT") != "" {
		t.Skip("GOMEMLIMIT is set")
	}
	dir := t.TempDir()
	conf := "[database]\npath = 'DIR/mail.polya'\n[[spool]]\naddress = 'DIR/learn'\n"
	servetest.Write(t, dir+"/polya.toml", strings.ReplaceAll(conf, "DIR", dir))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Spool(ctx, dir+"/polya.toml", Options{}) }()
	servetest.Until(t, "a limit", func() bool { return debug.SetMemoryLimit(-1) != math.MaxInt64 })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	servetest.Until(t, "no limit", func() bool { return debug.SetMemoryLimit(-1) == math.MaxInt64 })
}
