// Package snapshot keeps a copy of a database, with its position, beside the log of a fleet.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/store"
)

// Info says which log a snapshot belongs to, and its position there.
type Info struct {
	Created  time.Time // of the stream
	Position uint64
}

// object is the name of the one snapshot, in the bucket beside the stream. Its metadata has the
// keys.
const (
	object      = "database"
	keyCreated  = "created"
	keyPosition = "position"
)

// Latest returns the snapshot's Info, nil if there is no snapshot.
func Latest(ctx context.Context, l *stream.Log) (*Info, error) {
	bucket, err := l.Objects(ctx)
	if bucket == nil || err != nil {
		return nil, err
	}
	o, err := bucket.GetInfo(ctx, object)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	nanos, err := strconv.ParseInt(o.Metadata[keyCreated], 10, 64)
	position, bad := strconv.ParseUint(o.Metadata[keyPosition], 10, 64)
	if err != nil || bad != nil {
		return nil, nil // it is not ours
	}
	return &Info{time.Unix(0, nanos).UTC(), position}, nil
}

// Make puts a snapshot of an open database beside its log, replacing the last one. It
// writes and checks the snapshot at path first, and never uploads a damaged one. It
// returns its position; the error is stream.ErrClaimed if another node makes one.
func Make(ctx context.Context, l *stream.Log, db *store.DB, path string) (position uint64, err error) {
	claim, err := l.Claim(ctx)
	if err != nil {
		return 0, err
	}
	defer claim.Release(context.WithoutCancel(ctx)) // or the claim expires
	defer os.Remove(path)
	stop := claim.Keep(ctx)
	at, err := write(ctx, db, path)
	stop()
	if err != nil {
		return 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return at.Position, claim.Put(ctx, jetstream.ObjectMeta{Name: object, Metadata: map[string]string{
		keyCreated:  strconv.FormatInt(at.Stream.Created.UnixNano(), 10),
		keyPosition: strconv.FormatUint(at.Position, 10),
	}}, f)
}

// write writes a copy of a database to path, checks it, and returns where it is.
func write(ctx context.Context, db *store.DB, path string) (at Place, err error) {
	if err := create(path, func(f *os.File) error {
		_, err := db.Backup(ctx, f)
		return err
	}); err != nil {
		return at, err
	}
	if at, err = Look(path); err == nil && at.Stream == nil {
		err = errors.New("database follows no log")
	}
	if err != nil {
		return at, err
	}
	return at, sound(ctx, path)
}

// Fetch writes the snapshot to path.
func Fetch(ctx context.Context, l *stream.Log, path string) error {
	ctx, cancel := context.WithTimeout(ctx, stream.TransferTime) // the default is the time limit of a single question
	defer cancel()
	bucket, err := l.Objects(ctx)
	if err != nil {
		return err
	}
	if bucket == nil {
		return jetstream.ErrBucketNotFound
	}
	o, err := bucket.Get(ctx, object)
	if err != nil {
		return err
	}
	defer o.Close()
	return create(path, func(f *os.File) error {
		_, err := io.Copy(f, o) // fails if the SHA-256 differs
		return err
	})
}

// create makes a private file, replacing one that a killed process has left.
func create(path string, write func(*os.File) error) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// Place is the position of a database.
type Place struct {
	Stream    *store.Stream // nil if it follows no log
	Position  uint64
	Documents uint64
}

// Of returns the place of an open database.
func Of(db *store.DB) (p Place, err error) {
	err = db.View(func(s *store.Snapshot) (err error) {
		p.Documents = s.Documents()
		if p.Stream, err = s.Stream(); err == nil {
			p.Position, err = s.Position()
		}
		return err
	})
	return p, err
}

// Look returns the place of the database in a file.
func Look(path string) (p Place, err error) {
	err = reading(path, func(db *store.DB) error {
		p, err = Of(db)
		return err
	})
	return p, err
}

// sound returns an error if a file is damaged.
func sound(ctx context.Context, path string) error {
	return reading(path, func(db *store.DB) error {
		var problem error
		_, err := db.Check(ctx, func(err error) {
			if problem == nil {
				problem = err
			}
		})
		if err == nil && problem != nil {
			err = fmt.Errorf("snapshot is damaged: %w", problem)
		}
		return err
	})
}

func reading(path string, f func(*store.DB) error) error {
	db, err := store.Open(path, store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}
