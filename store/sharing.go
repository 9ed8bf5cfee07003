package store

import (
	"fmt"
	"os"
	"time"

	"github.com/polya-classifier/polya/store/internal/lock"
)

// This file is how a database that is open leaves the file to other processes: they
// read it whenever nothing is being committed.

// timeout is how long to wait for a file that is in use.
func (o *Options) timeout() time.Duration {
	switch {
	case o.Timeout > 0:
		return o.Timeout
	case o.ReadOnly:
		return ReadTimeout
	}
	return WriteTimeout
}

// lockOpened locks a file that was opened just now.
func lockOpened(f *os.File, readOnly bool, deadline time.Time) (*lock.Lock, error) {
	if readOnly {
		return lock.Read(f, deadline)
	}
	return lock.Write(f, deadline)
}

// alone waits, no longer than patience, until no other process reads the file. share lets them do so again, unless
// they would see a transaction that has yet to be taken back.
func (db *DB) alone(patience time.Duration) (share func(), err error) {
	l := db.lock
	if err := l.Exclude(time.Now().Add(patience)); err != nil {
		return nil, fmt.Errorf("nothing was changed: %w", boltError(err))
	}
	return func() {
		if db.undo == 0 {
			l.Share()
		}
	}, nil
}

// deadline is when a wait for a file in use that begins now is over.
func (o *Options) deadline() time.Time { return time.Now().Add(o.timeout()) }
