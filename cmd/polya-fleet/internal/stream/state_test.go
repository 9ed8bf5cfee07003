package stream

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// choosing is a JetStream whose servers choose a leader: the first question gets no answer.
type choosing struct {
	jetstream.JetStream
	asked int
}

func (c *choosing) Stream(ctx context.Context, _ string) (jetstream.Stream, error) {
	if c.asked++; c.asked == 1 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return known{}, nil
}

type known struct{ jetstream.Stream }

func (known) CachedInfo() *jetstream.StreamInfo {
	return &jetstream.StreamInfo{State: jetstream.StreamState{LastSeq: 7}}
}

// TestStateUnanswered has a question get no answer, for which whoever asks, as reseed, has two minutes:
// it ends long before, and the next one is answered.
func TestStateUnanswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		l, began := &Log{js: new(choosing)}, time.Now()
		if _, err := l.State(ctx); err == nil || ctx.Err() != nil || time.Since(began) != answerTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if s, err := l.State(ctx); err != nil || s.Last != 7 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
