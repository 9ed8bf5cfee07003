package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/serve/metrics"
	"github.com/polya-classifier/polya/store"
)

// State is the state of a node with respect to the log.
type State string

const (
	Following  State = "following"   // it applies the entries of the log
	CatchingUp State = "catching-up" // it follows, far behind
	NoLog      State = "no-log"      // there is no log, or it cannot be reached
	LostLog    State = "lost-log"    // it is not the log that the database follows, or it ends before the database's position
	Failing    State = "failing"     // entries of the log cannot be applied
	Absent     State = "absent"      // the node does not answer
)

// Report is a node's report on itself.
type Report struct {
	Name      string        `json:"name"`
	State     State         `json:"state"`
	Position  uint64        `json:"position"`
	Lag       uint64        `json:"lag"` // positions behind the log
	Documents uint64        `json:"documents"`
	Log       *store.Stream `json:"log"` // that the database follows
	Sync      string        `json:"sync"`
	Clock     float64       `json:"clock"`  // of the log's leader, seconds ahead of the node's
	Passed    uint64        `json:"passed"` // entries of the log that were not applied since the start: late, no Delta, or of a name that no user can have
	Version   string        `json:"version"`
	Error     string        `json:"error,omitempty"`
}

// slow is the lag from which a node is catching up.
const slow = 1000

// fails records why the log is not followed.
func (n *Node) fails(err error) {
	state, gone := NoLog, errors.Is(err, stream.ErrNone)
	switch {
	case errors.Is(err, errLost):
		state, gone = LostLog, true
	case errors.Is(err, errDatabase):
		state = Failing
	}
	if away := stream.Away(n.conn); state == NoLog && away != nil {
		err = away
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if gone {
		n.joined = nil
	}
	if n.why != err.Error() {
		n.log.Warn("log is not followed", "state", state, "error", err)
	}
	n.state, n.why = state, err.Error()
}

func (n *Node) report(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	place, err := n.place(ctx, "")
	n.mu.Lock()
	defer n.mu.Unlock()
	r := Report{
		Name: n.config.Name, State: n.state, Position: place.Position, Documents: place.Documents, Log: place.Stream,
		Sync: n.sync(), Passed: n.passed.Load(), Version: n.version, Error: n.why, Clock: n.clock.Seconds(),
	}
	if err != nil {
		r.State, r.Error = Failing, err.Error()
	}
	r.Lag = max(n.last, r.Position) - r.Position
	if r.State == Following && r.Lag > slow {
		r.State = CatchingUp
	}
	return r
}

// Hashes identify a node's databases at a position.
type Hashes struct {
	Name        string `json:"name"`
	Position    uint64 `json:"position"`
	Dump        string `json:"dump"`        // SHA-256 of the dumps with their ledgers, of the shared database and those of users
	Calibration string `json:"calibration"` // and of their calibrations, "" if there is none
	Error       string `json:"error,omitempty"`
}

// subject names what nodes tell or ask each other: here, that a process is a node; name.NODE, that another
// process was it before; report, of all nodes; seed.NODE, a new log of one.
func subject(c *config.Config, what string) string { return "polya." + c.Fleet + "." + what }

// answer has the node answer questions until ctx ends.
func (n *Node) answer(ctx context.Context) error {
	for subject, handle := range map[string]nats.MsgHandler{
		subject(n.config, "report"): func(m *nats.Msg) { n.send(m.Reply, n.report(ctx)) },
		subject(n.config, "seed."+n.config.Name): func(m *nats.Msg) {
			failed := ""
			if err := n.askSeed(ctx); err != nil {
				failed = err.Error()
			}
			n.send(m.Reply, failed)
		},
		subject(n.config, "here"):                n.meet,
		subject(n.config, "name."+n.config.Name): func(m *nats.Msg) { n.yield(string(m.Data)) },
	} {
		s, err := n.conn.Subscribe(subject, handle)
		if err != nil {
			return err
		}
		context.AfterFunc(ctx, func() { s.Unsubscribe() })
	}
	return nil
}

// askSeed makes Follow call seed.
func (n *Node) askSeed(ctx context.Context) error {
	done := make(chan error, 1)
	for {
		n.restart()
		select {
		case n.seeds <- done:
			return <-done
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retry):
		}
	}
}

// send answers whoever listens to a subject.
func (n *Node) send(subject string, v any) {
	b, err := json.Marshal(v)
	if err == nil {
		err = n.conn.Publish(subject, b)
	}
	if err != nil {
		n.log.Warn("cannot answer", "error", err)
	}
}

// Ask asks all nodes for their reports, and returns them in the order of the configuration; a
// node that does not answer is Absent.
func Ask(ctx context.Context, c *config.Config, conn *nats.Conn) ([]Report, error) {
	return gather(ctx, c, conn, func(r *Report) *string { return &r.Name }, Report{State: Absent, Error: "no answer"},
		func(inbox string) error { return conn.PublishRequest(subject(c, "report"), inbox, nil) })
}

// gather calls send with an inbox, and returns what nodes send there before ctx ends, in the order of the
// configuration. absent, with its name, is of a node that sends nothing.
func gather[T any](ctx context.Context, c *config.Config, conn *nats.Conn, name func(*T) *string, absent T, send func(inbox string) error) (list []T, err error) {
	inbox, found := conn.NewInbox(), map[string]T{}
	s, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer s.Unsubscribe()
	if err := send(inbox); err != nil {
		return nil, err
	}
	for len(found) < len(c.Nodes) {
		m, err := s.NextMsgWithContext(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return nil, err
		}
		var v T
		if err := json.Unmarshal(m.Data, &v); err != nil {
			return nil, fmt.Errorf("answer of a node: %w", err)
		}
		found[*name(&v)] = v
	}
	for _, of := range c.Nodes {
		v, is := found[of]
		if !is {
			v = absent
			*name(&v) = of
		}
		list = append(list, v)
	}
	return list, nil
}

// Seed asks a node to make a new log of its database.
func Seed(ctx context.Context, c *config.Config, conn *nats.Conn, name string) error {
	m, err := conn.RequestWithContext(ctx, subject(c, "seed."+name), nil)
	failed := ""
	if err == nil {
		err = json.Unmarshal(m.Data, &failed)
	}
	if err == nil && failed != "" {
		err = errors.New(failed)
	}
	if err != nil {
		err = fmt.Errorf("node %s: %w", name, err)
	}
	return err
}

// Ready implements daemon.Follower: a node is ready once its database has been where the log
// was when the node joined it, or if it cannot join and has a database of an earlier time.
func (n *Node) Ready() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.caught, n.joined == nil && n.alone:
		return nil
	case n.joined == nil:
		return fmt.Errorf("nothing of the log is here yet: %s", n.why)
	}
	return fmt.Errorf("database is at position %d of the log, which was at %d", n.at, n.goal)
}

// Gauges implements daemon.Follower.
func (n *Node) Gauges(p *metrics.Page) {
	r := n.report(context.Background())
	p.Gauge("polya_fleet_lag", float64(r.Lag), "Positions that the database is behind the log.")
	p.Gauge("polya_fleet_passed_over", float64(r.Passed), "Entries of the log that were not applied since the start: late, no Delta, or of a name that no user can have.")
	p.Gauge("polya_fleet_clock_seconds", r.Clock, "How far the clock of the log's leader is ahead of this machine's.")
	for _, s := range []State{Following, CatchingUp, NoLog, LostLog, Failing} {
		p.Flag("polya_fleet_state", s == r.State, "1 for the state that the node is in.", metrics.Label("state", string(s)))
	}
}
