package stream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A transaction has at most so many entries, and none behind those that have so many bytes.
const (
	maxEntries = 256
	maxBytes   = 8 << 20
)

// The interval of the consumer's heartbeats.
const beat = time.Second

// Read calls f with the entries of the log after a position, in order and without gaps, as
// soon as some have arrived. It returns the error of f, or why it cannot go on.
func (l *Log) Read(ctx context.Context, after uint64, f func([]Entry) error) error {
	// A consumer that is lost with its server is made again: the database has the position.
	c, err := l.js.CreateConsumer(ctx, l.name, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1, AckPolicy: jetstream.AckNonePolicy,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: 30 * time.Second,
	})
	if err != nil {
		return none(err)
	}
	it, err := c.Messages(jetstream.PullMaxMessagesWithBytesLimit(2*maxEntries, 4*maxBytes), jetstream.PullExpiry(10*beat), jetstream.PullHeartbeat(beat))
	if err != nil {
		return err
	}
	defer it.Stop()
	for {
		batch, err := gather(ctx, it)
		if err != nil {
			return err
		}
		for _, e := range batch {
			if after++; e.Position != after {
				return fmt.Errorf("log goes on at position %d after %d", e.Position, after-1)
			}
		}
		if err := f(batch); err != nil {
			return err
		}
	}
}

// gather waits for an entry, and returns it with others that have arrived, of which it holds few: each may
// have megabytes, and a node that catches up is behind by thousands.
func gather(ctx context.Context, it jetstream.MessagesContext) (batch []Entry, err error) {
	wait := jetstream.NextContext(ctx)
	for size := 0; len(batch) < maxEntries && size < maxBytes; wait = jetstream.NextMaxWait(time.Millisecond) {
		m, err := it.Next(wait)
		if len(batch) > 0 && errors.Is(err, nats.ErrTimeout) {
			break
		}
		var meta *jetstream.MsgMetadata
		if err == nil {
			meta, err = m.Metadata()
		}
		if err != nil {
			return nil, errors.Join(ctx.Err(), err)
		}
		batch, size = append(batch, newEntry(meta.Sequence.Stream, meta.Timestamp, m.Headers(), m.Data())), size+len(m.Data())
	}
	return batch, nil
}

func newEntry(position uint64, at time.Time, h nats.Header, data []byte) Entry {
	e := Entry{Position: position, ID: h.Get(jetstream.MsgIDHeader), Asker: h.Get(headerAsker), Age: time.Since(at), Data: data}
	user, err := url.PathUnescape(h.Get(headerUser))
	if e.User = user; err != nil {
		e.User = "/" // nobody's name
	}
	if until, err := strconv.ParseInt(h.Get(headerUntil), 10, 64); err == nil {
		e.Late = at.UnixNano() > until
	}
	return e
}

// Entry returns the entry at a position.
func (l *Log) Entry(ctx context.Context, position uint64) (Entry, error) {
	s, err := l.js.Stream(ctx, l.name)
	if err != nil {
		return Entry{}, none(err)
	}
	m, err := s.GetMsg(ctx, position)
	if err != nil {
		return Entry{}, err
	}
	return newEntry(m.Sequence, m.Time, m.Header, m.Data), nil
}
