package daemon

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/polya-classifier/polya/serve/config"
)

// form is the format and level of the log, which a reload can change.
type form struct {
	level slog.LevelVar
	json  atomic.Bool
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
