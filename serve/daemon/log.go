package daemon

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/polya-classifier/polya/serve/config"
)

// Logger returns the log of a configuration, which writes to w. Of many equal warnings and errors it writes the first.
func Logger(w io.Writer, c config.Log, level slog.Leveler) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(handler{new(flood), slog.NewJSONHandler(w, o)})
	}
	return slog.New(handler{new(flood), slog.NewTextHandler(w, o)})
}

// flood counts lines of the log.
type flood struct {
	mu    sync.Mutex
	since time.Time      // when the present window began
	lines map[string]int // in it, by message
}

// In each window of time, of each warning and error burst lines are written: who may connect must
// not fill the disk. The next window begins with how many were left out.
const (
	window = 10 * time.Second
	burst  = 20
)

// admit reports whether a line may be written, and returns the lines of a window that has just ended.
func (f *flood) admit(r *slog.Record) (ok bool, before map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Time.Sub(f.since) >= window {
		f.since, before, f.lines = r.Time, f.lines, make(map[string]int)
	}
	f.lines[r.Message]++
	return f.lines[r.Message] <= burst, before
}

// handler writes records that are no flood.
type handler struct {
	flood *flood
	slog.Handler
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	ok, before := h.flood.admit(&r)
	for _, message := range slices.Sorted(maps.Keys(before)) {
		if n := before[message] - burst; n > 0 {
			left := slog.NewRecord(r.Time, slog.LevelWarn, "lines were left out of the log", 0)
			left.AddAttrs(slog.String("message", message), slog.Int("lines", n))
			_ = h.Handler.Handle(ctx, left)
		}
	}
	if !ok {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(a []slog.Attr) slog.Handler {
	return handler{h.flood, h.Handler.WithAttrs(a)}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.flood, h.Handler.WithGroup(name)}
}
