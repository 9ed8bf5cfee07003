package stream

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
)

// newLog returns a log in a server of its own.
func newLog(t *testing.T) *Log {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &config.Config{Name: "a", Nodes: []string{"a"}, Fleet: "test", Server: config.Server{Listen: l.Addr().String(), Store: t.TempDir()}}
	l.Close()
	s, err := server.Start(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	conn, err := Connect(c, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	log, err := New(c, conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Make(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	return log
}

// What comes into the log after the deadline of whoever published it is late for all who read
// it, and what has no deadline that can be read is not.
func TestLate(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	now := time.Now().UnixNano()
	want := []bool{true, false, false, false}
	for i, until := range []string{strconv.FormatInt(now-1, 10), strconv.FormatInt(now+int64(time.Hour), 10), "soon"} {
		m := nats.NewMsg(log.subject)
		m.Header.Set(headerUntil, until)
		if _, err := log.js.PublishMsg(ctx, m); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, err := log.Publish(ctx, &Entry{ID: "in time"}); err != nil {
		t.Fatal(err)
	}
	var got []bool
	err := log.Read(ctx, 0, func(batch []Entry) error {
		for _, e := range batch {
			if got = append(got, e.Late); len(got) == len(want) {
				cancel()
			}
		}
		return nil
	})
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("late %v, want %v: %v", got, want, err)
		}
	}
}

// early is a context whose deadline passed long ago by the clock of this machine.
type early struct{ context.Context }

func (early) Deadline() (time.Time, bool) { return time.Now().Add(-time.Minute), true }

// A machine whose clock is behind that of the log can be taught: it gives its deadlines by the
// clock of the log.
func TestOtherClock(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	if s, err := log.State(t.Context()); err != nil || s.Clock.Abs() > 10*time.Second {
		t.Fatalf("two clocks of one machine differ by %v: %v", s.Clock, err)
	}
	for i, behind := range []time.Duration{0, 2 * time.Minute} {
		log.clock.Store(int64(behind))
		position, err := log.Publish(early{t.Context()}, &Entry{ID: strconv.Itoa(i)})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := log.Entry(t.Context(), position); err != nil || e.Late != (behind == 0) {
			t.Errorf("%v behind: late %v, %v", behind, e.Late, err)
		}
	}
}
