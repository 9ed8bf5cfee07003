package stream

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// TransferTime is how long an object may take from or to the bucket.
	TransferTime = 30 * time.Minute

	// unacknowledged is the largest number of bytes of an object sent ahead of
	// acknowledgements: JetStream refuses more than some 100 MB in all.
	unacknowledged = 4 << 20

	// claimTime is how long a claim lasts after its last renewal: longer than it takes to make an
	// object. The next one waits so long for a process that was killed meanwhile.
	claimTime = TransferTime
)

// ErrClaimed says that another upload is under way.
var ErrClaimed = errors.New("another node fills the bucket")

const headerHolder = "Polya-Holder"

// Claim is the right to fill the bucket: the last message of a subject in its stream.
type Claim struct {
	log    *Log
	holder string
	last   uint64 // sequence of that message
}

func (l *Log) chunks(id string) string { return "$O." + l.name + ".C." + id }

func (l *Log) bucketStream(ctx context.Context) (jetstream.Stream, error) {
	return l.js.Stream(ctx, "OBJ_"+l.name)
}

// Claim claims the bucket, which is made if there is none, for half an hour, and for as long as Put
// sends. The error is ErrClaimed if another has.
func (l *Log) Claim(ctx context.Context) (*Claim, error) {
	if _, err := l.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
		Bucket: l.name, Description: "snapshots of the databases of a fleet", Replicas: l.replicas,
	}); err != nil {
		return nil, err
	}
	s, err := l.bucketStream(ctx)
	if err != nil {
		return nil, err
	}
	c := &Claim{log: l, holder: rand.Text()}
	m, err := s.GetLastMsgForSubject(ctx, l.chunks("claim"))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
	case err != nil:
		return nil, err
	case m.Header.Get(headerHolder) != "" && time.Since(m.Time) < claimTime:
		return nil, ErrClaimed
	default:
		c.last = m.Sequence
	}
	return c, c.renew(ctx, c.holder)
}

// Release gives the claim back.
func (c *Claim) Release(ctx context.Context) error { return c.renew(ctx, "") }

// Put puts an object into the bucket, replacing one of the same name. It removes chunks that
// belong to no object, such as the chunks of a killed process.
func (c *Claim) Put(ctx context.Context, meta jetstream.ObjectMeta, r io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, TransferTime)
	defer cancel()
	bucket, err := c.log.Objects(ctx)
	if err != nil {
		return err
	}
	renew := func() error { return c.renew(ctx, c.holder) }
	if err := renew(); err != nil {
		return err
	}
	i, err := bucket.Put(ctx, meta, io.TeeReader(r, &pace{wait: renew}))
	if err != nil {
		return err
	}
	return c.log.clean(ctx, i.NUID)
}

// renew renews the claim for its holder, "" for nobody. Its acknowledgement follows those of all
// earlier messages.
func (c *Claim) renew(ctx context.Context, holder string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*answerTime)
	defer cancel()
	m := nats.NewMsg(c.log.chunks("claim"))
	m.Header.Set(headerHolder, holder)
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	ack, err := c.log.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(c.last))
	if refused, ok := errors.AsType[*jetstream.APIError](err); ok && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return ErrClaimed
	}
	if err == nil {
		c.last = ack.Sequence
	}
	return err
}

// clean removes all chunks except those of the object with this id.
func (l *Log) clean(ctx context.Context, id string) error {
	s, err := l.bucketStream(ctx)
	if err != nil {
		return err
	}
	i, err := s.Info(ctx, jetstream.WithSubjectFilter(l.chunks(">")))
	if err != nil {
		return err
	}
	for subject := range i.State.Subjects {
		if of := strings.TrimPrefix(subject, l.chunks("")); of == id || of == "claim" {
			continue
		}
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return err
		}
	}
	return nil
}

// pace calls wait whenever so many bytes went by.
type pace struct {
	n    int
	wait func() error
}

func (p *pace) Write(b []byte) (int, error) {
	if p.n += len(b); p.n < unacknowledged {
		return len(b), nil
	}
	p.n = 0
	return len(b), p.wait()
}
