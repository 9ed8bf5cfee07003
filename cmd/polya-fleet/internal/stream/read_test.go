package stream

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// large gives messages of a MiB without end, and counts them.
type large struct {
	jetstream.MessagesContext
	jetstream.Msg
	given atomic.Int64
}

func (l *large) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	l.given.Add(1)
	return l, nil
}

func (l *large) Metadata() (*jetstream.MsgMetadata, error) { return new(jetstream.MsgMetadata), nil }
func (l *large) Headers() nats.Header                      { return nil }
func (l *large) Data() []byte                              { return make([]byte, 1<<20) }

// Of large entries a reader holds few, and none stays away.
func TestReaderHolds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, all := newReader(), new(large)
	done := make(chan struct{})
	go func() { r.receive(ctx, all); close(done) }()
	for taken := int64(0); taken < 200; {
		batch, err := r.batch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		taken += int64(len(batch))
		// Beside those in the reader one fits into the next batch, and one waits for room.
		if ahead := all.given.Load() - taken; ahead > maxBytes>>20+3 {
			t.Fatalf("%d MiB are held", ahead)
		}
	}
	cancel()
	<-done
}
