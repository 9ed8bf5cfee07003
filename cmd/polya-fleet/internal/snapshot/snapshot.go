// Package snapshot keeps a copy of the databases of a node, with their position, beside the log of a
// fleet.
package snapshot

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Info says which log a snapshot belongs to, and its position there.
type Info struct {
	Created  time.Time // of the stream
	Position uint64
}

// object is the name of the one snapshot, in the bucket beside the stream: a tar archive of the shared
// database and those of users. Its metadata has the keys.
const (
	object      = "databases"
	keyCreated  = "created"
	keyPosition = "position"
)

// Latest returns the snapshot's Info, nil if there is no snapshot.
func Latest(ctx context.Context, l *stream.Log) (*Info, error) {
	bucket, err := l.Objects(ctx)
	var o *jetstream.ObjectInfo
	if err == nil {
		o, err = bucket.GetInfo(ctx, object)
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
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

// All calls f with open databases: first the shared one, of user "", whose position is that of the
// snapshot. The others may go on meanwhile: they skip what they have of the log behind it.
type All func(ctx context.Context, f func(user string, c *classify.Classifier) error) error

// Make puts a snapshot of databases beside their log, replacing the last one. It
// writes and checks the snapshot at path first, and never uploads a damaged one. It
// returns its position; the error is stream.ErrClaimed if another node makes one.
func Make(ctx context.Context, l *stream.Log, all All, path string) (position uint64, err error) {
	claim, err := l.Claim(ctx)
	if err != nil {
		return 0, err
	}
	defer claim.Release(context.WithoutCancel(ctx)) // or the claim expires
	defer os.Remove(path)
	at, err := write(ctx, all, path)
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

// prefix is before the name of the user in the archive.
const prefix = "database:"

// write writes copies of databases to path, each of which it checks, and returns where the shared one is.
func write(ctx context.Context, all All, path string) (at Place, err error) {
	part := path + ".part"
	defer os.Remove(part)
	err = create(path, func(f *os.File) error {
		archive := tar.NewWriter(f)
		err := all(ctx, func(user string, c *classify.Classifier) error {
			if err := create(part, func(f *os.File) error {
				_, err := c.Store().Backup(ctx, f)
				return err
			}); err != nil {
				return err
			}
			has, err := place(part, func(db *store.DB) error {
				_, err := db.Check(ctx, nil)
				return err
			})
			switch {
			case err != nil:
				return fmt.Errorf("snapshot: %w", err)
			case user == "" && has.Stream == nil:
				return errors.New("database follows no log")
			case user == "":
				at = has
			}
			return add(archive, user, part)
		})
		return errors.Join(err, archive.Close())
	})
	return at, err
}

func add(archive *tar.Writer, user, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	i, err := f.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: prefix + user, Size: i.Size(), Mode: 0o600, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(archive, f)
	return err
}

// Each writes the databases of a snapshot to files, one after the other, the shared one first, and
// calls f with each, which may move it away. Names of users may be anything.
func Each(path string, f func(user, file string) error) error {
	archive, err := os.Open(path)
	if err != nil {
		return err
	}
	defer archive.Close()
	whole, err := archive.Stat()
	if err != nil {
		return err
	}
	part := path + ".part"
	defer os.Remove(part)
	for r := tar.NewReader(archive); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && h.Size > whole.Size() {
			err = fmt.Errorf("snapshot has a file of %d bytes, and is shorter", h.Size) // it is sparse
		}
		if err != nil {
			return err
		}
		if err := create(part, func(to *os.File) error {
			_, err := io.Copy(to, r)
			return err
		}); err != nil {
			return err
		}
		if err := f(strings.TrimPrefix(h.Name, prefix), part); err != nil {
			return err
		}
	}
}

// Fetch writes the snapshot to path.
func Fetch(ctx context.Context, l *stream.Log, path string) error {
	ctx, cancel := context.WithTimeout(ctx, stream.TransferTime) // the default is the time limit of a single question
	defer cancel()
	bucket, err := l.Objects(ctx)
	if err != nil {
		return err
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
	Ledger    count.Ledger // what it keeps of documents
}

// Of returns the place of an open database.
func Of(db *store.DB) (p Place, err error) {
	p.Ledger = db.Ledger()
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
func Look(path string) (Place, error) { return place(path, func(*store.DB) error { return nil }) }

// place is Look, after a check that the database must pass.
func place(path string, check func(*store.DB) error) (p Place, err error) {
	db, err := store.Open(path, store.Options{ReadOnly: true})
	if err != nil {
		return p, err
	}
	if err = check(db); err == nil {
		p, err = Of(db)
	}
	return p, errors.Join(err, db.Close())
}
