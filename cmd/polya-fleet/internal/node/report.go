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
	"github.com/polya-classifier/polya/store"
)

// State is how a node stands to the log.
type State string

const (
	Following  State = "following"   // it applies what the log brings
	CatchingUp State = "catching-up" // it follows, far behind
	NoLog      State = "no-log"      // there is none, or it cannot be asked
	LostLog    State = "lost-log"    // it is another than the database's, or ends before it
	Failing    State = "failing"     // what the log has cannot be applied
	Absent     State = "absent"      // the node does not answer
)

// Report is what a node says of itself.
type Report struct {
	Name      string        `json:"name"`
	State     State         `json:"state"`
	Position  uint64        `json:"position"`
	Lag       uint64        `json:"lag"` // positions behind the log
	Documents uint64        `json:"documents"`
	Log       *store.Stream `json:"log"` // that the database follows
	Sync      string        `json:"sync"`
	Version   string        `json:"version"`
	Error     string        `json:"error,omitempty"`
}

// slow is how far behind a node is that catches up.
const slow = 1000

// fails notes why the log is not followed.
func (n *Node) fails(err error) {
	state, gone := NoLog, errors.Is(err, stream.ErrNone)
	switch {
	case errors.Is(err, errLost):
		state, gone = LostLog, true
	case errors.Is(err, errDatabase):
		state = Failing
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

// report says how the node is.
func (n *Node) report(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	place, err := n.place(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	r := Report{
		Name: n.config.Name, State: n.state, Position: place.Position, Documents: place.Documents, Log: place.Stream,
		Sync: n.sync(), Version: n.version, Error: n.why,
	}
	if err != nil {
		r.State, r.Error = Failing, err.Error()
	}
	if n.last > r.Position {
		r.Lag = n.last - r.Position
	}
	if r.State == Following && r.Lag > slow {
		r.State = CatchingUp
	}
	return r
}

// Hashes are what a node has at a position.
type Hashes struct {
	Name        string `json:"name"`
	Position    uint64 `json:"position"`
	Dump        string `json:"dump"`        // SHA-256 of the dump with its ledger
	Calibration string `json:"calibration"` // and of the calibration, "" if there is none
	Error       string `json:"error,omitempty"`
}

// Subjects on which nodes are asked: all of them how they are, and one to make the log anew.
func subjectOfAll(c *config.Config) string { return "polya." + c.Fleet + ".report" }

func subjectOfSeed(c *config.Config, name string) string { return "polya." + c.Fleet + ".seed." + name }

// answer has the node answer questions until ctx ends.
func (n *Node) answer(ctx context.Context) error {
	all, err := n.conn.Subscribe(subjectOfAll(n.config), func(m *nats.Msg) { n.reply(m, n.report(ctx)) })
	if err != nil {
		return err
	}
	seed, err := n.conn.Subscribe(subjectOfSeed(n.config, n.config.Name), func(m *nats.Msg) {
		r := Report{Name: n.config.Name}
		if err := n.askSeed(ctx); err != nil {
			r.Error = err.Error()
		}
		n.reply(m, r)
	})
	context.AfterFunc(ctx, func() {
		all.Unsubscribe()
		if seed != nil {
			seed.Unsubscribe()
		}
	})
	return err
}

// askSeed has Follow call seed.
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

func (n *Node) reply(m *nats.Msg, v any) {
	b, err := json.Marshal(v)
	if err == nil {
		err = m.Respond(b)
	}
	if err != nil {
		n.log.Warn("cannot answer", "error", err)
	}
}

// Ask asks all nodes how they are, and returns their answers in the order of the configuration;
// who does not answer is absent.
func Ask(ctx context.Context, c *config.Config, conn *nats.Conn) ([]Report, error) {
	inbox := conn.NewInbox()
	found, err := gather[Report](ctx, conn, inbox, len(c.Nodes), func() error { return conn.PublishRequest(subjectOfAll(c), inbox, nil) })
	if err != nil {
		return nil, err
	}
	list := make([]Report, len(c.Nodes))
	for i, name := range c.Nodes {
		list[i] = Report{Name: name, State: Absent, Error: "no answer"}
		for _, r := range found {
			if r.Name == name {
				list[i] = r
			}
		}
	}
	return list, nil
}

// gather calls send, and returns what comes to inbox until there are n answers or ctx ends.
func gather[T any](ctx context.Context, conn *nats.Conn, inbox string, n int, send func() error) (list []T, err error) {
	s, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer s.Unsubscribe()
	if err := send(); err != nil {
		return nil, err
	}
	for len(list) < n {
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
		list = append(list, v)
	}
	return list, nil
}

// Seed has a node make the log anew of its database.
func Seed(ctx context.Context, c *config.Config, conn *nats.Conn, name string) error {
	m, err := conn.RequestWithContext(ctx, subjectOfSeed(c, name), nil)
	if err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	var r Report
	if err := json.Unmarshal(m.Data, &r); err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	if r.Error != "" {
		return fmt.Errorf("node %s: %s", name, r.Error)
	}
	return nil
}
