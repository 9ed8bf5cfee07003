// Package node is a machine of a fleet: polyad serve with a database that follows the log.
package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	serve "github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Node is a daemon.Follower.
type Node struct {
	config  *config.Config
	version string
	born    string // the time at which the process began and a random text: later processes sort behind it
	log     *slog.Logger
	stop    context.CancelCauseFunc // ends the process
	met     map[string]string       // by node: the born of the process heard last; used by meet
	server  *server.Server          // nil if servers are elsewhere
	conn    *nats.Conn
	stream  *stream.Log
	db      func() *engine.Engine // the current one, set once it follows
	life    context.Context       // ends when it does not follow any more

	away   atomic.Bool   // the last training was not acknowledged in time
	passed atomic.Uint64 // entries that were not applied

	seeds chan chan error // requests to make a new log of this database; each channel receives the result

	mu      sync.Mutex
	state   State
	why     string        // what is wrong, "" if nothing is
	joined  *store.Stream // the log that the database follows, nil while it does not
	at      uint64        // position of the database
	last    uint64        // position of the log, when it was last asked
	ledger  count.Ledger  // what the database keeps of documents
	goal    uint64        // the position that the log had when it was joined first
	caught  bool          // the database has been at goal
	alone   bool          // the log could not be joined, and the database is of an earlier time
	clock   time.Duration // of the log's leader, ahead of this machine's
	waiting map[string]chan store.Applied
	end     context.CancelFunc // ends the current reading
}

// Run runs a node until ctx is done; see daemon.Run. A signal on reload rereads the
// configuration of polyad serve.
func Run(ctx context.Context, c *config.Config, version string, out io.Writer, reload <-chan os.Signal) error {
	d, err := c.Daemon()
	if err != nil {
		return err
	}
	log := daemon.Logger(out, d.Log, d.Log.Level)
	n := &Node{
		config: c, version: version, born: fmt.Sprintf("%020d %s", time.Now().UnixNano(), rand.Text()), log: log,
		state: NoLog, why: "it has just begun", met: map[string]string{}, seeds: make(chan chan error), waiting: make(map[string]chan store.Applied),
	}
	ctx, n.stop = context.WithCancelCause(ctx)
	defer n.stop(nil)
	if c.Server.Listen != "" {
		if n.server, err = server.Start(c, log); err != nil {
			return fmt.Errorf("server of the log: %w", err)
		}
		defer n.server.Close()
	}
	log.Info("node", "name", c.Name, "sync", n.sync(), "encrypted", c.TLS != nil)
	if n.conn, err = stream.Connect(c, "polya-fleet "+c.Name, log); err != nil {
		return err
	}
	defer n.conn.Close()
	if n.stream, err = stream.New(c, n.conn); err != nil {
		return err
	}
	load := func(string) (*serve.Config, error) { return c.Daemon() }
	err = daemon.Run(ctx, c.Serve, daemon.Options{Version: version, Log: out, Reload: reload, Follower: n, Load: load})
	if twice := context.Cause(ctx); errors.Is(twice, errTwice) {
		err = errors.Join(err, twice)
	}
	return err
}

// sync says when servers write acknowledged entries to disk.
func (n *Node) sync() string {
	if n.server == nil {
		return "not known" // other servers report it only to their administrators
	}
	return n.server.Sync()
}

// Follow implements daemon.Follower.
func (n *Node) Follow(ctx context.Context, db func() *engine.Engine) {
	n.db, n.life = db, ctx
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if n.server != nil {
		all.Go(func() { n.server.Watch(ctx) })
	}
	all.Go(func() { n.keep(ctx) })
	if err := n.answer(ctx); err != nil {
		n.log.Error("nobody can ask this node", "error", err)
	}
	for {
		if ctx.Err() != nil {
			return
		}
		reading, end := context.WithCancel(ctx)
		n.mu.Lock()
		n.end = end
		n.mu.Unlock()
		err := n.follow(reading)
		end()
		if ctx.Err() == nil && err != nil {
			n.fails(err)
		}
		select {
		case done := <-n.seeds:
			done <- n.seed(ctx)
		case <-time.After(retry):
		case <-ctx.Done():
			return
		}
	}
}

// retry is how long a node rests before it tries again to follow the log.
const retry = 500 * time.Millisecond

// restart ends the current reading, so that the node checks its position again.
func (n *Node) restart() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.end != nil {
		n.end()
	}
}

// errTwice is the error of a process that came second.
var errTwice = errors.New("another process is this node, and began before this one")

// show says which node this process is, and when it began.
func (n *Node) show() {
	_ = n.conn.Publish(subject(n.config, "here"), []byte(n.config.Name+" "+n.born)) // the next time, if there is no connection now
}

// meet hears of a process. Servers of one name do not connect to each other, so a third
// tells the second process of the first, when it hears the first after the second.
func (n *Node) meet(m *nats.Msg) {
	name, born, _ := strings.Cut(string(m.Data), " ")
	switch {
	case name == n.config.Name:
		n.yield(born)
	case born < n.met[name]:
		_ = n.conn.Publish(subject(n.config, "name."+name), []byte(born))
	case slices.Contains(n.config.Nodes, name):
		n.met[name] = born
	}
}

// yield ends this process if that which began at a time has its name and was first: servers of one
// name would vote as one, and a question to all nodes would be answered by either.
func (n *Node) yield(born string) {
	if born < n.born {
		n.stop(fmt.Errorf("%w: %s of fleet %s", errTwice, n.config.Name, n.config.Fleet))
	}
}
