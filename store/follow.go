package store

import (
	"cmp"
	"context"
	"fmt"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/layout"
)

// Logged is a Delta at its position, above 0, of an ordered log that somebody else keeps.
type Logged struct {
	Delta    *Delta
	Position uint64
}

// ApplyLog applies Deltas of a log, in ascending order of position. They share
// transactions, and the result does not depend on how they are grouped. The position is
// kept in the same transaction, and a Delta at or before it is skipped, so that each is
// applied exactly once. A Delta that the counts do not allow is refused for good: only the
// position changes, and Applied.Refused says why. It returns the changes of those before an
// error; none after it is applied, and it must be applied again.
func (db *DB) ApplyLog(ctx context.Context, log []Logged) ([]Applied, error) {
	requests := make([]*request, len(log))
	last := uint64(0)
	for i, l := range log {
		if l.Position <= last || l.Delta.Keep != 0 && !l.Delta.Keep.Valid() {
			return nil, db.fail(fmt.Errorf("position %d of a log after %d, ledger %s: %w", l.Position, last, l.Delta.Keep, count.ErrInvalid))
		}
		requests[i], last = &request{ctx: ctx, delta: l.Delta, position: l.Position}, l.Position
		if i > 0 {
			requests[i].before = requests[i-1]
		}
	}
	if len(log) == 0 {
		return nil, nil
	}
	err := db.submit(requests...)
	applied := make([]Applied, 0, len(log))
	for _, r := range requests {
		if !r.finished || r.err != nil {
			break
		}
		applied = append(applied, r.applied)
	}
	return applied, err
}

// Stream is an ordered log of Deltas that somebody else keeps. A log made again under the
// same name is a different log: its positions begin again.
type Stream = layout.Stream

// Follow makes the database follow a log: from now on only ApplyLog changes it,
// and whatever else would change what it has learned returns ErrFollows. It holds the log
// up to position, 0 for nothing, and goes on from there. A database that follows this log
// already stays as it is, with its own position, so that Follow may be called whenever a
// process begins. A database that follows another log is refused, since positions of one
// log mean nothing in the other. The zero Stream ends it: the
// database may be changed without a log, and may follow another.
func (db *DB) Follow(s Stream, position uint64) error {
	end := s == (Stream{})
	if !end && (len(s.Name) == 0 || len(s.Name) > 255) {
		return db.fail(fmt.Errorf("name of a log of %d bytes: %w", len(s.Name), count.ErrInvalid))
	}
	return db.admin(func() error {
		if err := db.rememberLocked(false); err != nil {
			return err
		}
		return db.update(func(tx layout.Tx) (*memory, error) {
			now, err := tx.Stream()
			same := now != nil && now.Name == s.Name && now.Created.UnixNano() == s.Created.UnixNano()
			switch {
			case err != nil:
				return nil, err
			case same, end && now == nil:
				return nil, errNothing
			case end:
				return nil, tx.PutStream(nil)
			case now != nil:
				return nil, fmt.Errorf("log %s: %w, %s", s, errOtherLog, now)
			}
			return nil, cmp.Or(tx.PutPosition(position), tx.PutStream(&s))
		})
	})
}

// Stream returns the log that the database follows, nil if it follows none; see DB.Follow.
func (s *Snapshot) Stream() (*Stream, error) {
	now, err := s.tx.Stream()
	return now, s.db.fail(err)
}
