package node

import (
	"context"
	"fmt"

	"github.com/polya-classifier/polya/serve/metrics"
)

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
