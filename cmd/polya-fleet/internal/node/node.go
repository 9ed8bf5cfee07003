// Package node is a machine of a fleet: polya serve with a database that follows the log.
package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Node is a daemon.Follower.
type Node struct {
	config  *config.Config
	version string
	log     *slog.Logger
	server  *server.Server // nil if servers are elsewhere
	conn    *nats.Conn
	stream  *stream.Log
	db      daemon.Followed // from when it follows

	away atomic.Bool // the last training was not acknowledged in its time

	seeds chan chan error // to make the log anew of this database; what comes of it

	mu      sync.Mutex
	state   State
	why     string        // what is wrong, "" if nothing is
	joined  *store.Stream // that the database follows, nil as long as it may not
	at      uint64        // position of the database
	last    uint64        // position of the log, when it was last asked
	ledger  count.Ledger  // what the database keeps of documents
	waiting map[string]chan store.Applied
	end     context.CancelFunc // of the reading under way
}

// Run runs a node until ctx is done; see daemon.Run. What comes by reload has the
// configuration of polya serve read anew.
func Run(ctx context.Context, c *config.Config, version string, out io.Writer, reload <-chan os.Signal) error {
	d, err := c.Daemon()
	if err != nil {
		return err
	}
	o := &slog.HandlerOptions{Level: d.Log.Level}
	log := slog.New(slog.NewTextHandler(out, o))
	if d.Log.Format == "json" {
		log = slog.New(slog.NewJSONHandler(out, o))
	}
	n := &Node{config: c, version: version, log: log, state: NoLog, why: "it has just begun", seeds: make(chan chan error), waiting: make(map[string]chan store.Applied)}
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
	return daemon.Run(ctx, c.Serve, daemon.Options{Version: version, Log: out, Reload: reload, Follower: n})
}

// sync says when servers bring to the disk what they acknowledge.
func (n *Node) sync() string {
	if n.server == nil {
		return "not known" // a server elsewhere tells its administrator only
	}
	return n.server.Sync()
}

// Follow implements daemon.Follower.
func (n *Node) Follow(ctx context.Context, db daemon.Followed) {
	n.db = db
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

// restart ends the reading under way, so that the node looks anew where it is.
func (n *Node) restart() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.end != nil {
		n.end()
	}
}
