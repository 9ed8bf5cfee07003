package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/snapshot"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/store"
)

// markerAge is how long nodes' answers to a marker are awaited.
const markerAge = 10 * time.Minute

// marks reports whether an entry is a marker, which asks for the database's hash at its position.
func marks(e *stream.Entry) bool {
	return strings.HasPrefix(e.Asker, nats.InboxPrefix) && e.Age < markerAge
}

// tellHash sends the publisher of a marker the hash of the databases there. Nothing is
// applied meanwhile.
func (n *Node) tellHash(ctx context.Context, e *stream.Entry) {
	h := Hashes{Name: n.config.Name, Position: e.Position}
	dumps, calibrations, calibrated := sha256.New(), sha256.New(), false
	err := n.each(ctx, func(user string, c *classify.Classifier) error {
		if at, err := snapshot.Of(c.Store()); err != nil || at.Documents == 0 && user != "" {
			return err // as if it were not there
		}
		fmt.Fprintf(dumps, "user %q\n", user)
		if err := c.Store().Dump(ctx, dumps, true); err != nil {
			return err
		}
		k, err := c.Calibration()
		if err != nil || k == nil {
			return err
		}
		data, err := k.Marshal()
		fmt.Fprintf(calibrations, "user %q %d\n%s", user, len(data), data)
		calibrated = true
		return err
	})
	h.Dump = hex.EncodeToString(dumps.Sum(nil))
	if calibrated {
		h.Calibration = hex.EncodeToString(calibrations.Sum(nil))
	}
	if err != nil {
		h.Dump, h.Calibration, h.Error = "", "", err.Error()
	}
	n.send(e.Asker, h)
}

// each calls f with the open databases: the shared one, and then those of users, who may be new since.
func (n *Node) each(ctx context.Context, f func(user string, c *classify.Classifier) error) error {
	of := func(user string) error {
		return n.follows(n.db().Follow(ctx, user, false, func(c *classify.Classifier) error { return f(user, c) }))
	}
	if err := of(""); err != nil {
		return err
	}
	users, err := n.db().Users()
	slices.Sort(users)
	for _, user := range users {
		err = cmp.Or(err, of(user))
	}
	return err
}

// Verify puts a marker into the log, and returns the hashes that nodes report there before
// ctx ends, in the order of the configuration.
func Verify(ctx context.Context, c *config.Config, conn *nats.Conn) ([]Hashes, error) {
	l, err := stream.New(c, conn)
	if err != nil {
		return nil, err
	}
	data, _ := new(store.Delta).MarshalBinary() // an empty one always encodes
	return gather(ctx, c, conn, func(h *Hashes) *string { return &h.Name }, Hashes{Error: "no answer"}, func(inbox string) error {
		_, err := l.Publish(ctx, &stream.Entry{ID: rand.Text(), Asker: inbox, Data: data})
		return err
	})
}
