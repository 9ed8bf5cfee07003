// Package stream is the log of a fleet: a stream of NATS JetStream, each message of which is a
// Delta at its position.
package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/store"
)

// ErrNone says that there is no such stream.
var ErrNone = errors.New("there is no log yet")

// answerTime is how long a server may take to answer a question about the stream.
const answerTime = 3 * time.Second

// Connect returns a connection that reconnects whenever it is lost, to servers that need not run
// yet. name identifies the client to them; log, unless nil, records changes of the connection.
func Connect(c *config.Config, name string, log *slog.Logger) (*nats.Conn, error) {
	o := []nats.Option{
		nats.Name(name), nats.DontRandomize(), nats.ReconnectBufSize(-1), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(250 * time.Millisecond),
		nats.IgnoreAuthErrorAbort(), nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(answerTime), nats.Token(c.Token),
	}
	if c.TLS != nil {
		o = append(o, nats.Secure(c.TLS))
	}
	if log != nil {
		o = append(o, nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("connection to the log is lost", "error", err)
			}
		}), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Warn("connection to the log", "error", err)
		}))
	}
	return nats.Connect(strings.Join(c.URLs(), ","), o...)
}

// Away returns why there is no connection, nil if there is one.
func Away(conn *nats.Conn) error {
	err := conn.LastError()
	for end := time.Now().Add(time.Second); err == nil && !conn.IsConnected() && time.Now().Before(end); err = conn.LastError() {
		time.Sleep(10 * time.Millisecond) // each try to connect begins without an error
	}
	switch {
	case conn.IsConnected():
		return nil
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return fmt.Errorf("servers of the log refuse the token: %w", err)
	case err != nil:
		return fmt.Errorf("no server of the log answers: %w", err)
	}
	return errors.New("no server of the log answers")
}

// Log is the stream of a fleet.
type Log struct {
	js       jetstream.JetStream
	name     string
	subject  string
	replicas int
	clock    atomic.Int64 // the last State.Clock
}

// New returns the log of a fleet, which need not exist.
func New(c *config.Config, conn *nats.Conn) (*Log, error) {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(answerTime))
	return &Log{js: js, name: "POLYA_" + c.Fleet, subject: "polya." + c.Fleet + ".log", replicas: c.Replicas()}, err
}

// State describes a stream.
type State struct {
	Name     string        `json:"name"`
	Created  time.Time     `json:"created"`
	First    uint64        `json:"first"`  // a position
	Last     uint64        `json:"last"`   // First-1 if it is empty
	Leader   string        `json:"leader"` // name of a server, "" if there is none now
	Replicas []Replica     `json:"replicas"`
	Clock    time.Duration `json:"-"` // how far the clock of the leader is ahead of this machine's, within half the time of the question
}

// Stream is what a database that follows the stream knows it by.
func (s *State) Stream() store.Stream { return store.Stream{Name: s.Name, Created: s.Created} }

// Replica is a server with a copy of the stream, beside the leader.
type Replica struct {
	Name    string `json:"name"`
	Current bool   `json:"current"` // its copy is complete
	Lag     uint64 `json:"lag"`
}

// State returns the state of the stream, or an error that wraps ErrNone.
func (l *Log) State(ctx context.Context) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime) // servers that choose a leader do not answer
	defer cancel()
	asked := time.Now()
	s, err := l.js.Stream(ctx, l.name)
	if err != nil {
		return State{}, none(err)
	}
	state := stateOf(s.CachedInfo())
	state.Clock = s.CachedInfo().TimeStamp.Sub(asked.Add(time.Since(asked) / 2))
	l.clock.Store(int64(state.Clock))
	return state, nil
}

func stateOf(i *jetstream.StreamInfo) State {
	s := State{Name: i.Config.Name, Created: i.Created.UTC(), First: max(i.State.FirstSeq, 1), Last: i.State.LastSeq}
	if i.Cluster != nil {
		s.Leader = i.Cluster.Leader
		for _, r := range i.Cluster.Replicas {
			s.Replicas = append(s.Replicas, Replica{r.Name, r.Current && !r.Offline, r.Lag})
		}
	}
	return s
}

// none wraps ErrNone around an error that means that there is no stream.
func none(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return ErrNone
	}
	return err
}

// Make makes the stream, with its first message at the position after. None may exist.
func (l *Log) Make(ctx context.Context, after uint64) (State, error) {
	s, err := l.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: l.name, Subjects: []string{l.subject}, Description: "what the databases of a fleet have learned",
		Storage: jetstream.FileStorage, Replicas: l.replicas, FirstSeq: after + 1,
		Discard: jetstream.DiscardNew, DenyDelete: true, Duplicates: 2 * time.Minute,
	})
	if err != nil {
		return State{}, err
	}
	return stateOf(s.CachedInfo()), nil
}

// Remove removes the stream and the bucket beside it, if they are there.
func (l *Log) Remove(ctx context.Context) error {
	for _, remove := range []func(context.Context, string) error{l.js.DeleteStream, l.js.DeleteObjectStore} {
		if err := remove(ctx, l.name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
			return err
		}
	}
	return nil
}

// Cut removes all messages up to a position.
func (l *Log) Cut(ctx context.Context, upTo uint64) error {
	s, err := l.js.Stream(ctx, l.name)
	if err == nil {
		err = s.Purge(ctx, jetstream.WithPurgeSequence(upTo+1))
	}
	return err
}

// Objects returns the bucket that lies beside the stream; the error is jetstream.ErrBucketNotFound if
// there is none.
func (l *Log) Objects(ctx context.Context) (jetstream.ObjectStore, error) {
	return l.js.ObjectStore(ctx, l.name)
}

// Entry is a message of the log.
type Entry struct {
	Position uint64
	ID       string // unique among the entries of the last two minutes
	User     string // whose database it changes, "" for the shared one; anybody may have written anything
	Asker    string // of a marker: the subject to send the database's hash at this position to
	Age      time.Duration
	Late     bool   // it entered the log after its publisher had given up
	Data     []byte // a Delta; of a user, none asks to fit his models
}

// Headers of an entry, beside its ID: Entry.User, escaped as in a URL, Entry.Asker, and its
// publisher's deadline, in nanoseconds since 1970 by the leader's clock.
const (
	headerUser  = "Polya-User"
	headerAsker = "Polya-Asker"
	headerUntil = "Polya-Until"
)

// inProcess is JetStream's error code for an ID that is not in the stream yet but may be soon.
const inProcess jetstream.ErrorCode = 10158

// Publish puts an entry into the log, and returns its position once the stream has it. If that
// is not known it tries again until ctx ends: an ID enters the log only once. An entry that is
// delayed and enters the log after the deadline of ctx is Late.
func (l *Log) Publish(ctx context.Context, e *Entry) (position uint64, err error) {
	m := nats.NewMsg(l.subject)
	m.Data = e.Data
	if e.User != "" {
		m.Header.Set(headerUser, url.PathEscape(e.User))
	}
	if e.Asker != "" {
		m.Header.Set(headerAsker, e.Asker)
	}
	if until, ok := ctx.Deadline(); ok {
		m.Header.Set(headerUntil, strconv.FormatInt(until.UnixNano()+l.clock.Load(), 10))
	}
	for {
		once, cancel := context.WithTimeout(ctx, answerTime)
		ack, failed := l.js.PublishMsg(once, m, jetstream.WithMsgID(e.ID), jetstream.WithExpectStream(l.name), jetstream.WithRetryAttempts(0))
		cancel()
		var refused *jetstream.APIError
		switch {
		case failed == nil:
			return ack.Sequence, nil
		case errors.As(failed, &refused) && refused.Code < 500 && refused.ErrorCode != inProcess, errors.Is(failed, nats.ErrMaxPayload):
			return 0, failed
		}
		select {
		case <-ctx.Done():
			return 0, failed
		case <-time.After(50 * time.Millisecond):
		}
	}
}
