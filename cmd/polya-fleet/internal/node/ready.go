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
func (n *Node) Gauges() []metrics.Gauge {
	r := n.report(context.Background())
	all := []metrics.Gauge{
		{Name: "polya_fleet_lag", Help: "Positions that the database is behind the log.", Value: float64(r.Lag)},
		{Name: "polya_fleet_passed_over", Help: "Entries of the log that were not applied since the start: late, no Delta, or of a name that no user can have.", Value: float64(r.Passed)},
		{Name: "polya_fleet_clock_seconds", Help: "How far the clock of the log's leader is ahead of this machine's.", Value: r.Clock},
	}
	for _, s := range []State{Following, CatchingUp, NoLog, LostLog, Failing} {
		is := 0.
		if s == r.State {
			is = 1
		}
		all = append(all, metrics.Gauge{Name: "polya_fleet_state", Help: "1 for the state that the node is in.", Labels: metrics.Label("state", string(s)), Value: is})
	}
	return all
}
