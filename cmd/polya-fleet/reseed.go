package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
)

// reseed makes the node with the newest database make a new log.
func reseed(ctx context.Context, a *call) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	a.timeout = 3 * time.Second
	all, err := a.look(ctx)
	for err == nil && !a.force && all.asked != nil && !errors.Is(all.asked, stream.ErrNone) && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond): // servers that have just begun choose a leader first
			all, err = a.look(ctx)
		}
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
		left := 0
		for _, n := range all.Nodes {
			if n.State != node.Following && n.State != node.Absent {
				left++
			}
		}
		if left == 0 {
			return a.show(all, all.write)
		}
		select {
		case <-ctx.Done():
			return cmp.Or(a.show(all, all.write), error(notWell))
		case <-time.After(500 * time.Millisecond):
		}
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
	case a.Log == nil || b.Log == nil:
		if (a.Log == nil) != (b.Log == nil) {
			return a.Log != nil
		}
		return a.Documents > b.Documents
	case !a.Log.Created.Equal(b.Log.Created):
		return a.Log.Created.After(b.Log.Created)
	}
	return a.Position > b.Position
}
