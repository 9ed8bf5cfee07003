package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine/learn"
	"github.com/polya-classifier/polya/store"
)

// errLost says that the existing log is not the one that the database follows, errDatabase
// that the database cannot apply the log, and errLate that a training came too late.
var (
	errLost     = errors.New("log is lost")
	errDatabase = errors.New("database cannot follow")
	errLate     = errors.New("training came into the log after its time: the clocks of the machines differ, or it was held up")
)

// follow applies entries of the log until an error.
func (n *Node) follow(ctx context.Context) (err error) {
	at, err := n.place(ctx, "")
	if err != nil {
		return err
	}
	defer func(has bool) {
		n.mu.Lock()
		n.alone = err != nil && has
		n.mu.Unlock()
	}(at.Stream != nil)
	s, err := n.stream.State(ctx)
	if errors.Is(err, stream.ErrNone) && at.Stream != nil {
		return fmt.Errorf("%w: %s, which the database follows, is not there", errLost, at.Stream)
	}
	if err != nil {
		return err
	}
	if at, err = n.join(ctx, s, at); err != nil {
		return err
	}
	// An earlier process may have ended before a fit that is due.
	if err := n.fitShared(ctx); err != nil {
		return err
	}
	n.mu.Lock()
	log := s.Stream()
	n.joined, n.state, n.why, n.at, n.last, n.ledger, n.clock = &log, Following, "", at.Position, s.Last, at.Ledger, s.Clock
	n.goal = s.Last
	n.caught = n.caught || n.at >= n.goal
	n.mu.Unlock()
	n.log.Info("following the log", "position", at.Position, "last", s.Last)
	return n.stream.Read(ctx, at.Position, func(batch []stream.Entry) error { return n.apply(ctx, batch) })
}

// fitShared makes the fit of the shared database that is due, if one is.
func (n *Node) fitShared(ctx context.Context) error {
	return n.follows(n.db().Follow(ctx, "", false, func(c *classify.Classifier) error {
		_, err := c.ApplyLog(ctx, nil)
		return err
	}))
}

func (n *Node) follows(err error) error {
	if err != nil {
		err = fmt.Errorf("%w: %w", errDatabase, err)
	}
	return err
}

// place returns the position of a user's database, or of the shared one, which may be missing.
func (n *Node) place(ctx context.Context, user string) (at snapshot.Place, err error) {
	err = n.follows(n.db().Follow(ctx, user, false, func(c *classify.Classifier) error {
		at, err = snapshot.Of(c.Store())
		return err
	}))
	if errors.Is(err, store.ErrNotExist) {
		err = nil
	}
	return at, err
}

// reopened is how often entries are applied to a database that was closed meanwhile, as a reload
// does to open it anew.
const reopened = 4

// apply applies entries, and sends the results to waiting publishers. Before a fit, and at a marker,
// all databases have what the log has before it, and nothing behind it.
func (n *Node) apply(ctx context.Context, batch []stream.Entry) error {
	for len(batch) > 0 {
		end := 1
		for end < len(batch) && !fits(&batch[0]) && !fits(&batch[end]) && !marks(&batch[end-1]) {
			end++
		}
		if err := n.applyPart(ctx, batch[:end]); err != nil {
			return err
		}
		if last := &batch[end-1]; marks(last) {
			n.tellHash(ctx, last)
		}
		batch = batch[end:]
	}
	return nil
}

// fits reports whether an entry asks to fit a user's models.
func fits(e *stream.Entry) bool { return e.User != "" && len(e.Data) == 0 && !e.Late }

// applyPart applies entries to the databases of users, each of which skips what it has, and then to
// the shared one, whose position is thus the one from which all go on.
func (n *Node) applyPart(ctx context.Context, part []stream.Entry) error {
	of, err := n.lessons(part)
	if err != nil {
		return err
	}
	if fits(&part[0]) {
		if err := n.fit(ctx, &part[0]); err != nil {
			return err
		}
	}
	for _, user := range slices.Backward(slices.Sorted(maps.Keys(of))) {
		l := of[user]
		var applied []store.Applied
		for again := 0; again == 0 || again < reopened && (errors.Is(err, store.ErrClosed) || errors.Is(err, learn.ErrClosed)); again++ {
			err = n.follows(n.db().Follow(ctx, user, user != "", func(c *classify.Classifier) error {
				some, err := n.applyTo(ctx, user, c, l.log[len(applied):])
				applied = append(applied, some...)
				return err
			}))
		}
		n.applied(user, l.entries, applied)
		if err := n.unlessNobody(l.entries, err); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) applyTo(ctx context.Context, user string, c *classify.Classifier, log []store.Logged) ([]store.Applied, error) {
	if user == "" {
		return c.ApplyLog(ctx, log)
	}
	at, err := snapshot.Of(c.Store())
	switch {
	case err != nil:
	case at.Stream == nil && at.Documents > 0:
		err = fmt.Errorf("%s was not learned from the log: move it away", c.Store().Path())
	case at.Stream == nil || *at.Stream != *n.joined:
		err = c.Store().Follow(*n.joined, 0) // it is new, or refuses
	}
	if err != nil {
		return nil, err
	}
	return c.Store().ApplyLog(ctx, log)
}

// fit fits a user's models, after the fit of the shared database that is due before it.
func (n *Node) fit(ctx context.Context, e *stream.Entry) error {
	if err := n.fitShared(ctx); err != nil {
		return err
	}
	return n.unlessNobody([]stream.Entry{*e}, n.follows(n.db().FitAt(ctx, e.User, e.Position)))
}

// unlessNobody passes over entries that are for nobody, and returns other errors.
func (n *Node) unlessNobody(entries []stream.Entry, err error) error {
	if !errors.Is(err, backend.ErrUser) {
		return err
	}
	for _, e := range entries {
		n.pass("entry of the log has a name that no user can have; all nodes pass it over", e.Position, nil)
	}
	return nil
}

// pass counts an entry that is not applied.
func (n *Node) pass(why string, position uint64, err error) {
	n.passed.Add(1)
	n.log.Warn(why, "position", position, "error", err)
}

// lessons are the entries of one database, and their Deltas.
type lessons struct {
	entries []stream.Entry
	log     []store.Logged
}

func (l *lessons) add(e *stream.Entry, d *store.Delta) {
	l.entries, l.log = append(l.entries, *e), append(l.log, store.Logged{Delta: d, Position: e.Position})
}

// lessons returns the Deltas of entries by user; the shared database, "", has all positions. All nodes
// skip an entry that is not a Delta. A Delta of a later version other nodes may apply, so this node
// waits. Late entries are skipped: they were reported as failed, and may have been taught again or
// corrected since.
func (n *Node) lessons(entries []stream.Entry) (map[string]*lessons, error) {
	own, _ := new(store.Delta).MarshalBinary() // an empty one always encodes
	of := map[string]*lessons{"": {}}
	for i := range entries {
		e, d := &entries[i], new(store.Delta)
		switch {
		case fits(e):
		case e.Late:
			n.pass("training came into the log after its time; all nodes pass it over", e.Position, nil)
		default:
			if err := d.UnmarshalBinary(e.Data); err != nil {
				if len(e.Data) > 5 && string(e.Data[:4]) == string(own[:4]) && e.Data[4] > own[4] {
					return nil, fmt.Errorf("%w: position %d of the log: %w", errDatabase, e.Position, err)
				}
				n.pass("entry of the log is no Delta; all nodes pass it over", e.Position, err)
				d = new(store.Delta)
			} else if e.User != "" {
				if of[e.User] == nil {
					of[e.User] = new(lessons)
				}
				of[e.User].add(e, d)
				d = new(store.Delta)
			}
		}
		of[""].add(e, d)
	}
	return of, nil
}

// applied records the position of the shared database, and notifies publishers waiting for the
// entries.
func (n *Node) applied(user string, entries []stream.Entry, applied []store.Applied) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, a := range applied {
		if user == "" {
			n.at = entries[i].Position
		}
		if w := n.waiting[entries[i].ID]; w != nil {
			if entries[i].Late {
				a.Refused = errLate
			}
			w <- a
			delete(n.waiting, entries[i].ID)
		}
	}
	n.last = max(n.last, n.at)
	n.caught = n.caught || n.at >= n.goal
	if n.joined != nil && len(applied) > 0 {
		n.state, n.why = Following, ""
	}
}
