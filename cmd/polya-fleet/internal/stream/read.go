package stream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Limits of one transaction.
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer it.Stop()
	r := newReader()
	go r.receive(ctx, it)
	for {
		batch, err := r.batch(ctx)
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

// reader holds entries that have arrived and are not applied yet: no more than maxBytes and one, for
// each may have megabytes, and a node that catches up is behind by thousands.
type reader struct {
	entries chan Entry
	held    atomic.Int64  // bytes of entries
	taken   chan struct{} // holds a token when held has become less
	failed  chan error
	next    *Entry // did not fit into the last batch
}

func newReader() *reader {
	return &reader{entries: make(chan Entry, 2*maxEntries), taken: make(chan struct{}, 1), failed: make(chan error, 1)}
}

func (r *reader) receive(ctx context.Context, it jetstream.MessagesContext) {
	for {
		m, err := it.Next(jetstream.NextContext(ctx))
		var e Entry
		if err == nil {
			e, err = entryOf(m)
		}
		if err != nil {
			r.failed <- err
			return
		}
		for r.held.Load() > maxBytes {
			select {
			case <-r.taken:
			case <-ctx.Done():
				return
			}
		}
		r.held.Add(int64(len(e.Data)))
		select {
		case r.entries <- e:
		case <-ctx.Done():
			return
		}
	}
}

// take notes that an entry was received from entries.
func (r *reader) take(e *Entry) {
	r.held.Add(-int64(len(e.Data)))
	select {
	case r.taken <- struct{}{}:
	default:
	}
}

func entryOf(m jetstream.Msg) (Entry, error) {
	meta, err := m.Metadata()
	if err != nil {
		return Entry{}, err
	}
	return newEntry(meta.Sequence.Stream, meta.Timestamp, m.Headers(), m.Data()), nil
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

// batch waits for an entry, and returns it with others that have arrived.
func (r *reader) batch(ctx context.Context) ([]Entry, error) {
	var batch []Entry
	if r.next != nil {
		batch, r.next = append(batch, *r.next), nil
	} else {
		select {
		case e := <-r.entries:
			r.take(&e)
			batch = append(batch, e)
		case err := <-r.failed:
			return nil, errors.Join(ctx.Err(), err)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for size := len(batch[0].Data); len(batch) < maxEntries; {
		select {
		case e := <-r.entries:
			r.take(&e)
			if size += len(e.Data); size > maxBytes {
				r.next = &e
				return batch, nil
			}
			batch = append(batch, e)
		default:
			return batch, nil
		}
	}
	return batch, nil
}
