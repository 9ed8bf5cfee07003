package stream

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// large gives messages of a MiB without end, and counts them.
type large struct {
	jetstream.MessagesContext
	jetstream.Msg
	given int
}

func (l *large) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	l.given++
	return l, nil
}

func (l *large) Metadata() (*jetstream.MsgMetadata, error) { return new(jetstream.MsgMetadata), nil }
func (l *large) Headers() nats.Header                      { return nil }
func (l *large) Data() []byte                              { return make([]byte, 1<<20) }

// served is a JetStream with a consumer that has messages at these positions, and then none
// until end is closed.
type served struct {
	jetstream.JetStream
	positions []uint64
	end       chan struct{}
}

func (s *served) CreateConsumer(context.Context, string, jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	return consumer{served: s}, nil
}

type consumer struct {
	jetstream.Consumer
	served *served
}

func (c consumer) Messages(...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	return &messages{served: c.served}, nil
}

type messages struct {
	jetstream.MessagesContext
	served *served
	given  int
	told   bool
}

func (m *messages) Stop() {}

func (m *messages) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	if m.given == len(m.served.positions) {
		if !m.told {
			m.told = true
			return nil, nats.ErrTimeout
		}
		<-m.served.end
		return nil, context.Canceled
	}
	m.given++
	return at{position: m.served.positions[m.given-1]}, nil
}

// at is an empty message at a position.
type at struct {
	jetstream.Msg
	position uint64
}

func (m at) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: m.position}}, nil
}
func (m at) Headers() nats.Header { return nil }
func (m at) Data() []byte         { return nil }

// Read gives the entries behind a position one after another. It gives none behind a gap, or
// again, and none of the batch that has it: a database that missed one would differ from the
// others for ever.
func TestReadWithoutGaps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		positions []uint64
		whole     bool
	}{
		{[]uint64{8, 9, 10, 11}, true},
		{[]uint64{9, 10}, false},
		{[]uint64{7, 8, 9}, false},
		{[]uint64{8, 9, 11, 12}, false},
		{[]uint64{8, 9, 9, 10}, false},
		{[]uint64{8, 10, 9, 11}, false},
	} {
		s := &served{positions: test.positions, end: make(chan struct{})}
		last, stop := uint64(7), errors.New("enough is read")
		err := (&Log{js: s}).Read(t.Context(), last, func(batch []Entry) error {
			for _, e := range batch {
				if e.Position != last+1 {
					t.Errorf("%v: %d follows %d", test.positions, e.Position, last)
					return stop
				}
				last = e.Position
			}
			if last == 11 {
				return stop
			}
			return nil
		})
		close(s.end)
		if err == nil || errors.Is(err, stop) != test.whole {
			t.Errorf("%v: read up to %d, %v", test.positions, last, err)
		}
	}
}

// Of large entries few are held, and none stays away.
func TestGatherHolds(t *testing.T) {
	t.Parallel()
	all := new(large)
	for taken := 0; taken < 200; {
		batch, err := gather(t.Context(), all)
		if err != nil || len(batch) != maxBytes>>20 {
			t.Fatalf("%d MiB are held: %v", len(batch), err)
		}
		taken += len(batch)
		if all.given != taken {
			t.Fatalf("%d of %d entries were gathered", taken, all.given)
		}
	}
}
