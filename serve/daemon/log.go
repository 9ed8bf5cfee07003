package daemon

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/serve/config"
)

// form is the format and level of the log, which a reload can change.
type form struct {
	level slog.LevelVar
	json  atomic.Bool

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

// admit reports whether a line may be written, and returns the lines left out of the window before
// by message, if it has just ended.
func (f *form) admit(r *slog.Record) (ok bool, before map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Time.Sub(f.since) >= window {
		f.since, before, f.lines = r.Time, f.lines, make(map[string]int)
	}
	f.lines[r.Message]++
	return f.lines[r.Message] <= burst, before
}

func (f *form) set(c config.Log) {
	f.level.Set(c.Level)
	f.json.Store(c.Format == "json")
}

func (f *form) logger(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: &f.level}
	return slog.New(handler{f, slog.NewTextHandler(w, o), slog.NewJSONHandler(w, o)})
}

// handler writes records in the current form.
type handler struct {
	form       *form
	text, json slog.Handler
}

func (h handler) Enabled(ctx context.Context, l slog.Level) bool { return h.text.Enabled(ctx, l) }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.write(ctx, r)
	}
	ok, before := h.form.admit(&r)
	for _, message := range slices.Sorted(maps.Keys(before)) {
		if n := before[message] - burst; n > 0 {
			left := slog.NewRecord(r.Time, slog.LevelWarn, "lines were left out of the log", 0)
			left.AddAttrs(slog.String("message", message), slog.Int("lines", n))
			_ = h.write(ctx, left)
		}
	}
	if !ok {
		return nil
	}
	return h.write(ctx, r)
}

func (h handler) write(ctx context.Context, r slog.Record) error {
	if h.form.json.Load() {
		return h.json.Handle(ctx, r)
	}
	return h.text.Handle(ctx, r)
}

func (h handler) WithAttrs(a []slog.Attr) slog.Handler {
	return handler{h.form, h.text.WithAttrs(a), h.json.WithAttrs(a)}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.form, h.text.WithGroup(name), h.json.WithGroup(name)}
}
