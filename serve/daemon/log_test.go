package daemon

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/polya-classifier/polya/serve/config"
)

// A flood of one warning fills no disk: some lines of it are written, then how many were not. Other
// lines are all there.
func TestFlood(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := Logger(&out, config.Log{}, new(slog.LevelVar)).Handler()
	begin := time.Now()
	say := func(level slog.Level, message string, after time.Duration) {
		_ = log.Handle(context.Background(), slog.NewRecord(begin.Add(after), level, message, 0))
	}
	for range 1000 {
		say(slog.LevelWarn, "bad request", 0)
		say(slog.LevelInfo, "classified", 0)
	}
	say(slog.LevelError, "disk full", 0)
	say(slog.LevelWarn, "bad request", window)
	for what, want := range map[string]int{`msg="bad request"`: burst + 1, "msg=classified": 1000, `msg="disk full"`: 1, `message="bad request" lines=980`: 1} {
		if n := strings.Count(out.String(), what); n != want {
			t.Errorf("%d lines with %s, want %d", n, what, want)
		}
	}
}
