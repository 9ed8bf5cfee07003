package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// join makes the database follow the existing log, from the snapshot beside it if the log no
// longer has the database's position.
func (n *Node) join(ctx context.Context, s stream.State, at snapshot.Place) (snapshot.Place, error) {
	same := at.Stream != nil && *at.Stream == s.Stream()
	switch {
	case same && at.Position > s.Last:
		return at, fmt.Errorf("%w: the database is at position %d, and the log ends at %d", errLost, at.Position, s.Last)
	case same && at.Position >= s.First:
		return at, n.applies(ctx, at.Position)
	case same && at.Position+1 == s.First:
		return at, nil
	case at.Stream != nil && at.Stream.Name != s.Name:
		return at, fmt.Errorf("%w: the database follows log %s, not %s", errLost, at.Stream, s.Stream())
	}
	i, err := snapshot.Latest(ctx, n.stream)
	if err != nil {
		return at, err
	}
	if i == nil || !i.Created.Equal(s.Created) || i.Position+1 < s.First {
		if at.Stream != nil {
			return at, fmt.Errorf("%w: the database is at position %d of log %s, and there is no snapshot of that which is there now", errLost, at.Position, at.Stream)
		}
		return at, fmt.Errorf("no snapshot of the log yet: %w", stream.ErrNone)
	}
	return n.fetch(ctx, s, at)
}

// applies returns errLost if the log's entry at a position is not the one that the database
// applied there: the log has lost its end, by a power failure or a defect, and has grown a new
// one. It can tell only from documents learned there that the ledger keeps.
func (n *Node) applies(ctx context.Context, position uint64) error {
	e, err := n.stream.Entry(ctx, position)
	if err != nil {
		return err
	}
	var d store.Delta
	if e.Late || d.UnmarshalBinary(e.Data) != nil {
		return nil
	}
	learns, has := d.Len() > 0 && d.Keep != count.LedgerNone, false
	d.Each(func(_ count.DocID, _ string, doc *store.Encoded) { learns = learns && doc != nil })
	if !learns {
		return nil
	}
	err = n.follows(n.db().Follow(ctx, e.User, false, func(c *classify.Classifier) error {
		return c.Store().View(func(s *store.Snapshot) (err error) {
			d.Each(func(id count.DocID, _ string, _ *store.Encoded) {
				entry, failed := s.Entry(id)
				has, err = has || entry != nil, cmp.Or(err, failed)
			})
			return err
		})
	}))
	switch {
	case errors.Is(err, backend.ErrUser):
		return nil
	case err == nil && !has, errors.Is(err, store.ErrNotExist):
		err = fmt.Errorf("%w: at position %d it has something else than the database has learned there", errLost, position)
	}
	return err
}

// fetch replaces the databases by those of the snapshot, that of all users last, so that a node that is
// killed meanwhile fetches it again. Old databases are kept beside them if the log does not
// contain them.
func (n *Node) fetch(ctx context.Context, s stream.State, at snapshot.Place) (has snapshot.Place, err error) {
	path, err := n.file()
	if err != nil {
		return at, err
	}
	n.log.Info("fetching a snapshot", "position", at.Position, "log", s.Name)
	fetched, shared := path+".fetched", path+".fetched.shared"
	defer os.Remove(fetched)
	defer os.Remove(shared)
	if err := snapshot.Fetch(ctx, n.stream, fetched); err != nil {
		return at, err
	}
	users, err := n.db().Users()
	if err != nil {
		return at, err
	}
	err = snapshot.Each(fetched, func(user, file string) (err error) {
		if user != "" {
			users = slices.DeleteFunc(users, func(name string) bool { return name == user })
			return n.replace(ctx, user, file, s)
		}
		has, err = snapshot.Look(file)
		if err == nil && (has.Stream == nil || *has.Stream != s.Stream() || has.Position+1 < s.First) {
			err = errors.New("snapshot was replaced meanwhile")
		}
		return cmp.Or(err, os.Rename(file, shared))
	})
	if err != nil {
		return at, err
	}
	for _, user := range users {
		if err := n.replace(ctx, user, "", s); err != nil {
			return at, err
		}
	}
	if err := n.replace(ctx, "", shared, s); err != nil {
		return at, err
	}
	n.log.Info("databases are a snapshot of the log", "position", has.Position, "documents", has.Documents)
	return has, nil
}

// replace replaces a database by a file of the snapshot, or by none if that is "".
func (n *Node) replace(ctx context.Context, user, file string, s stream.State) error {
	at, err := n.place(ctx, user)
	if errors.Is(err, backend.ErrUser) {
		n.log.Warn("database of the snapshot has a name that no user can have; it is left out")
		return nil
	}
	if err != nil {
		return err
	}
	restored, err := n.db().Replace(ctx, user, file)
	switch {
	case err != nil:
		return n.follows(err)
	case restored.Before == "":
	case at.Documents == 0, at.Stream != nil && *at.Stream == s.Stream():
		if err := os.Remove(restored.Before); err != nil {
			n.log.Warn("database before the snapshot stays", "path", restored.Before, "error", err)
		}
	default:
		n.log.Warn("database was of another log, or of none; it is kept", "path", restored.Before, "documents", at.Documents, "position", at.Position)
	}
	return nil
}

// file returns the path of the shared database in the current configuration.
func (n *Node) file() (string, error) {
	d, err := n.config.Daemon()
	if err != nil {
		return "", err
	}
	return d.Database.Path, nil
}

// seed makes a new log that starts from these databases.
func (n *Node) seed(ctx context.Context) error {
	at, err := n.place(ctx, "")
	if err != nil {
		return err
	}
	if err := n.stream.Remove(ctx); err != nil {
		return err
	}
	s, err := n.stream.Make(ctx, at.Position)
	if err != nil {
		return err
	}
	users, err := n.db().Users()
	if err != nil {
		return err
	}
	for _, user := range append(users, "") { // until the shared one follows it, no log is followed
		if err := n.follows(n.db().Follow(ctx, user, true, func(c *classify.Classifier) error {
			if err := c.Store().Follow(store.Stream{}, 0); err != nil {
				return err
			}
			return c.Store().Follow(s.Stream(), at.Position)
		})); err != nil {
			return err
		}
	}
	n.log.Info("log is made", "log", s.Name, "position", at.Position, "documents", at.Documents)
	_, err = n.snapshot(ctx)
	return err
}
