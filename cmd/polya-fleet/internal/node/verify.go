package node

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/stream"
	"github.com/polya-classifier/polya/store"
)

// markerAge is how long nodes' answers to a marker are awaited.
const markerAge = 10 * time.Minute

// marks reports whether an entry is a marker, which asks for the database's hash at its position.
func marks(e *stream.Entry) bool {
	return strings.HasPrefix(e.Asker, nats.InboxPrefix) && e.Age < markerAge
}

// tellHash sends the publisher of a marker the hash of the database there. Nothing is
// applied meanwhile.
func (n *Node) tellHash(ctx context.Context, e *stream.Entry) {
	h := Hashes{Name: n.config.Name, Position: e.Position}
	err := n.use(ctx, func(c *classify.Classifier) (err error) {
		sum := sha256.New()
		if err := c.Store().Dump(ctx, sum, true); err != nil {
			return err
		}
		h.Dump = hex.EncodeToString(sum.Sum(nil))
		k, err := c.Calibration()
		if err != nil || k == nil {
			return err
		}
		data, err := k.Marshal()
		if err == nil {
			of := sha256.Sum256(data)
			h.Calibration = hex.EncodeToString(of[:])
		}
		return err
	})
	if err != nil {
		h.Error = err.Error()
	}
	b, err := json.Marshal(h)
	if err == nil {
		err = n.conn.Publish(e.Asker, b)
	}
	if err != nil {
		n.log.Warn("cannot say what the database has", "error", err)
	}
}

// Verify puts a marker into the log, and returns the hashes that nodes report there before
// ctx ends.
func Verify(ctx context.Context, c *config.Config, conn *nats.Conn) ([]Hashes, error) {
	l, err := stream.New(c, conn)
	if err != nil {
		return nil, err
	}
	data, err := new(store.Delta).MarshalBinary()
	if err != nil {
		return nil, err
	}
	inbox := conn.NewInbox()
	return gather[Hashes](ctx, conn, inbox, len(c.Nodes), func() error {
		_, err := l.Publish(ctx, &stream.Entry{ID: rand.Text(), Asker: inbox, Data: data})
		return err
	})
}
