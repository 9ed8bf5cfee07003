//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// fault is what happens to a fleet while it is taught.
type fault struct {
	name string

	// of returns the number of the affected node, or all; nil is none.
	of func(ctx context.Context, f *fleet) (int, error)

	begin, end func(ctx context.Context, f *fleet, node int) error

	// lasts is the longest duration: the fault ends sooner when three quarters of the
	// trainings are acknowledged.
	lasts time.Duration
	share int  // of the trainings, in multiples of the share of others; 0 is 1
	cable bool // it needs a network whose cables can be pulled
	disk  bool // it needs a separate disk
}

// all and none are in place of a node's number.
const (
	all  = -1
	none = -2
)

func allNodes(context.Context, *fleet) (int, error)     { return all, nil }
func lastNode(_ context.Context, f *fleet) (int, error) { return len(f.nodes) - 1, nil }

// leader and follower are of the stream.
func leader(ctx context.Context, f *fleet) (int, error) { return f.leader(ctx) }
func follower(ctx context.Context, f *fleet) (int, error) {
	n, err := f.leader(ctx)
	return (n + 1) % len(f.nodes), err
}

func kill(_ context.Context, f *fleet, node int) error { return f.nodes[node].end(syscall.SIGKILL) }
func start(_ context.Context, f *fleet, node int) error {
	return f.nodes[node].start(f.program)
}

// killAll kills before it waits.
func killAll(_ context.Context, f *fleet, _ int) (err error) {
	for _, n := range f.nodes {
		n.process.Process.Kill()
	}
	for _, n := range f.nodes {
		err = errors.Join(err, n.end(syscall.SIGKILL))
	}
	return err
}

func startAll(ctx context.Context, f *fleet, _ int) (err error) {
	for i := range f.nodes {
		err = errors.Join(err, start(ctx, f, i))
	}
	return err
}

// faults in the order in which they happen.
var faults = []fault{
	{name: "none"},
	{name: "kill -9 of the leader", of: leader, begin: kill, end: start, lasts: 5 * time.Second},
	{name: "kill -9 of a follower", of: follower, begin: kill, end: start, lasts: 5 * time.Second},
	{name: "kill -9 of all", of: allNodes, begin: killAll, end: startAll, lasts: time.Second},
	{name: "a follower frozen", of: follower, lasts: 10 * time.Second, begin: send(syscall.SIGSTOP), end: send(syscall.SIGCONT)},
	{name: "partition of the leader", of: leader, begin: cut, end: heal, lasts: 15 * time.Second, cable: true},
	{name: "partition of a follower", of: follower, begin: cut, end: heal, lasts: 15 * time.Second, cable: true},
	{name: "partition of each from each", of: allNodes, begin: cut, end: heal, lasts: 10 * time.Second, cable: true},
	{name: "a node away until the log is cut", of: follower, begin: leave, end: start, share: 4},
	{name: "a new node in the place of one", of: follower, begin: replace, end: start, lasts: 5 * time.Second},
	{name: "the log lost, seeded again", of: allNodes, begin: loseLog, end: reseed, lasts: 5 * time.Second},
	{name: "a disk full", of: lastNode, begin: fill, end: free, lasts: 15 * time.Second, disk: true},
}

// leave stops a node until the log no longer has the records that it has not applied: it
// must begin from a snapshot.
func leave(ctx context.Context, f *fleet, node int) error {
	at, err := f.nodes[node].position(ctx)
	if err := errors.Join(err, f.nodes[node].end(syscall.SIGTERM)); err != nil {
		return err
	}
	for ctx.Err() == nil {
		s, err := f.status(ctx, (node+1)%len(f.nodes)) // the error says that a node is away
		if s.Stream.First > at+1 {
			return nil
		}
		if f.next.Load() >= f.last.Load() {
			return fmt.Errorf("all is taught, and the log has still what node %s, at %d, has not: it begins at %d; more trainings are needed: %w",
				name(node), at, s.Stream.First, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	return ctx.Err()
}

func send(signal syscall.Signal) func(context.Context, *fleet, int) error {
	return func(_ context.Context, f *fleet, node int) error { return f.nodes[node].process.Process.Signal(signal) }
}

func cut(_ context.Context, f *fleet, node int) error  { return each(f, node, f.net.cut) }
func heal(_ context.Context, f *fleet, node int) error { return each(f, node, f.net.heal) }

// each calls do with node, or with every node if node is all.
func each(f *fleet, node int, do func(int) error) (err error) {
	for i := range f.nodes {
		if i == node || node == all {
			err = errors.Join(err, do(i))
		}
	}
	return err
}

// fill gives the node a separate disk, and takes all space there.
func fill(ctx context.Context, f *fleet, node int) (err error) {
	n := f.nodes[node]
	if err := n.end(syscall.SIGTERM); err != nil {
		return err
	}
	if n.disk, err = newDisk(n.dir); err != nil {
		return err
	}
	if err := start(ctx, f, node); err != nil {
		return err
	}
	return errors.Join(f.settled(ctx), n.disk.fill())
}

func free(_ context.Context, f *fleet, node int) error { return f.nodes[node].disk.free() }

// replace kills a node and removes all its files but its configuration.
func replace(ctx context.Context, f *fleet, node int) error {
	n := f.nodes[node]
	err := errors.Join(kill(ctx, f, node), os.RemoveAll(n.path("jetstream")))
	left, globErr := filepath.Glob(n.path("mail.polya*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, globErr)
}

// loseLog kills all nodes, removes the log of each, and starts them: they answer, learn
// nothing, and say why.
func loseLog(ctx context.Context, f *fleet, _ int) error {
	err := killAll(ctx, f, all)
	for _, n := range f.nodes {
		err = errors.Join(err, os.RemoveAll(n.path("jetstream")))
	}
	return errors.Join(err, startAll(ctx, f, all))
}

// reseed makes a new log. It needs all nodes, and a leading server.
func reseed(ctx context.Context, f *fleet, _ int) error {
	for _, n := range f.nodes {
		answers := func() error { _, err := n.ask(ctx, "POST", "/v1/classify", f.messages[0].raw); return err }
		if err := f.until(ctx, "a node without its log answers", answers); err != nil {
			return err
		}
	}
	if _, err := f.command(ctx, 0, "status"); err == nil {
		return fmt.Errorf("the log is lost, and status says that all is well")
	}
	return f.until(ctx, "the log is made anew", func() error { _, err := f.command(ctx, 0, "reseed"); return err })
}
