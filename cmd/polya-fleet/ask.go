package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
)

// asking runs a command with a connection to the servers.
func asking(run func(context.Context, *call) error) func(context.Context, *call) error {
	return func(ctx context.Context, c *call) (err error) {
		if c.config, err = config.Load(c.args[0]); err != nil {
			return err
		}
		if c.conn, err = stream.Connect(c.config, c.Name, nil); err != nil {
			return err
		}
		defer c.conn.Close()
		for end := time.Now().Add(3 * time.Second); !c.conn.IsConnected(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				return fmt.Errorf("%s: %w", strings.Join(c.config.URLs(), ", "), stream.Away(c.conn))
			}
		}
		return run(ctx, c)
	}
}

// notWell is the answer of commands that print what is wrong.
const notWell = command.AnswerCode(command.No)

// fleet is the output of status.
type fleet struct {
	Stream   *stream.State `json:"stream"` // nil if it cannot be asked
	Nodes    []node.Report `json:"nodes"`
	Problems []string      `json:"problems"`

	asked error // why the log could not be asked
}

// look asks the nodes and the log how they are.
func (a *call) look(ctx context.Context) (*fleet, error) {
	l, err := stream.New(a.config, a.conn)
	if err != nil {
		return nil, err
	}
	all := &fleet{Problems: []string{}}
	s, err := l.State(ctx)
	if err != nil {
		all.asked = err
		all.Problems = append(all.Problems, "log: "+err.Error())
	} else {
		all.Stream = &s
		for _, r := range s.Replicas {
			if !r.Current {
				all.Problems = append(all.Problems, fmt.Sprintf("log: server %s is behind or away", r.Name))
			}
		}
		if have, want := 1+len(s.Replicas), a.config.Replicas(); have < want {
			all.Problems = append(all.Problems, fmt.Sprintf("log: %d of %d servers have it", have, want))
		}
		if s.Leader == "" && a.config.Replicas() > 1 {
			all.Problems = append(all.Problems, "log: it has no leader: nothing can be learned for now")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	if all.Nodes, err = node.Ask(ctx, a.config, a.conn); err != nil {
		return nil, err
	}
	for _, n := range all.Nodes {
		if n.State != node.Following && n.State != node.CatchingUp || n.Error != "" {
			all.Problems = append(all.Problems, fmt.Sprintf("node %s: %s: %s", n.Name, n.State, n.Error))
		}
		if n.State != node.Absent && math.Abs(n.Clock) > a.config.Wait.Seconds()/5 {
			all.Problems = append(all.Problems, fmt.Sprintf("node %s: the clock of the log's leader is %+.1f s off its own", n.Name, n.Clock))
		}
		if n.Sync != all.Nodes[0].Sync && n.State != node.Absent && all.Nodes[0].State != node.Absent {
			all.Problems = append(all.Problems, fmt.Sprintf("node %s: sync is %s, of node %s %s", n.Name, n.Sync, all.Nodes[0].Name, all.Nodes[0].Sync))
		}
	}
	return all, nil
}

// show writes a value as JSON, or by text.
func (a *call) show(v any, text func(io.Writer)) error {
	return a.Result(v, func() error {
		w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
		text(w)
		return w.Flush()
	})
}

func (f *fleet) write(w io.Writer) {
	fmt.Fprintln(w, "node\tstate\tposition\tlag\tdocuments\tsync")
	for _, n := range f.Nodes {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%s\n", n.Name, n.State, n.Position, n.Lag, n.Documents, n.Sync)
	}
	if s := f.Stream; s != nil {
		fmt.Fprintf(w, "\nlog %s, made %s: ", s.Name, s.Created.Format(time.RFC3339))
		if s.First > s.Last {
			fmt.Fprint(w, "empty")
		} else {
			fmt.Fprintf(w, "positions %d to %d", s.First, s.Last)
		}
		if s.Leader != "" {
			fmt.Fprintf(w, ", leader %s", s.Leader)
		}
		fmt.Fprintln(w)
	}
	for _, p := range f.Problems {
		fmt.Fprintln(w, p)
	}
}

func status(ctx context.Context, a *call) error {
	all, err := a.look(ctx)
	if err != nil {
		return err
	}
	if err := a.show(all, all.write); err != nil {
		return err
	}
	if len(all.Problems) > 0 {
		return notWell
	}
	return nil
}

func verify(ctx context.Context, a *call) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	list, err := node.Verify(ctx, a.config, a.conn)
	if err != nil {
		return err
	}
	equal := true
	for _, h := range list {
		equal = equal && h.Error == "" && h.Dump == list[0].Dump && h.Calibration == list[0].Calibration && h.Position == list[0].Position
	}
	err = a.show(map[string]any{"equal": equal, "nodes": list}, func(w io.Writer) {
		fmt.Fprintln(w, "node\tposition\tdump\tcalibration")
		for _, h := range list {
			fmt.Fprintf(w, "%s\t%d\t%.16s\t%.16s\t%s\n", h.Name, h.Position, h.Dump, h.Calibration, h.Error)
		}
		if equal {
			fmt.Fprintln(w, "all nodes have learned the same")
		} else {
			fmt.Fprintln(w, "nodes differ, or did not answer")
		}
	})
	if err == nil && !equal {
		err = notWell
	}
	return err
}

// reseed makes the node with the newest database make a new log.
func reseed(ctx context.Context, a *call) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	a.timeout = 3 * time.Second
	all, err := a.look(ctx)
	for err == nil && !a.force && all.asked != nil && !errors.Is(all.asked, stream.ErrNone) && pause(ctx) {
		all, err = a.look(ctx) // servers that have just begun choose a leader first
	}
	if err != nil {
		return err
	}
	if err := all.lost(a.force); err != nil {
		return err
	}
	best := newest(all.Nodes)
	if best == nil {
		return errors.New("no node answers")
	}
	a.Printf("The log begins with the database of node %s: %d documents, position %d.\n", best.Name, best.Documents, best.Position)
	if err := node.Seed(ctx, a.config, a.conn, best.Name); err != nil {
		return err
	}
	for {
		if all, err = a.look(ctx); err != nil {
			return err
		}
		behind := func(n node.Report) bool { return n.State != node.Following && n.State != node.Absent }
		if !slices.ContainsFunc(all.Nodes, behind) {
			return a.show(all, all.write)
		}
		if !pause(ctx) {
			return cmp.Or(a.show(all, all.write), error(notWell))
		}
	}
}

// pause waits until it is time to look again; it returns false if ctx ends first.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(500 * time.Millisecond):
		return true
	}
}

// lost returns why a new log must not be made.
func (f *fleet) lost(force bool) error {
	followed := true
	for _, n := range f.Nodes {
		if n.State == node.Absent && !force {
			return fmt.Errorf("node %s does not answer, and may have the newest database: start it, or say --force to do without", n.Name)
		}
		followed = followed && (n.State == node.Absent || n.State == node.Following || n.State == node.CatchingUp)
	}
	switch {
	case f.Stream != nil && followed:
		return errors.New("the log is there, and the nodes follow it")
	case f.Stream == nil && !errors.Is(f.asked, stream.ErrNone) && !force:
		return fmt.Errorf("the log does not say whether it is there: try again, or say --force if it cannot be mended: %w", f.asked)
	}
	return nil
}

// newest returns the node whose database has most of the last log or, if none follows a log, the
// most documents; nil if no node answers.
func newest(all []node.Report) (best *node.Report) {
	for i := range all {
		if n := &all[i]; n.State != node.Absent && (best == nil || newer(n, best)) {
			best = n
		}
	}
	return best
}

func newer(a, b *node.Report) bool {
	switch {
	case a.Log == nil && b.Log == nil:
		return a.Documents > b.Documents
	case a.Log == nil || b.Log == nil:
		return a.Log != nil
	case !a.Log.Created.Equal(b.Log.Created):
		return a.Log.Created.After(b.Log.Created)
	}
	return a.Position > b.Position
}
