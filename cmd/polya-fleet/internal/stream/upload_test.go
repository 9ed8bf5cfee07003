package stream

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// An object is whole and alone in the bucket, however much it is and whatever others have left; nobody
// fills the bucket meanwhile.
func TestPut(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log := newLog(t)
	c, err := log.Claim(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // as a process that was killed leaves them
		if _, err := log.js.Publish(ctx, log.chunks("left"), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	object := make([]byte, 3*unacknowledged+1)
	for i := range object {
		object[i] = byte(i * i >> 7)
	}
	meta := jetstream.ObjectMeta{Name: "object"}
	for range 2 { // the second in place of the first
		if err := c.Put(ctx, meta, bytes.NewReader(object)); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Claim(ctx); !errors.Is(err, ErrClaimed) {
			t.Errorf("another claim: %v", err)
		}
	}
	bucket, err := log.Objects(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := bucket.Get(ctx, "object")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, object) {
		t.Errorf("%d bytes of %d: %v", len(got), len(object), err)
	}
	s, err := log.bucketStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	i, err := s.Info(ctx, jetstream.WithSubjectFilter(log.chunks(">")))
	if err != nil || len(i.State.Subjects) != 2 || i.State.Subjects[log.chunks("claim")] != 1 || i.State.Subjects[log.chunks("left")] != 0 {
		t.Errorf("subjects %v, %v: want the claim, once, and the object", i.State.Subjects, err)
	}
	if err := c.Release(ctx); err != nil {
		t.Fatal(err)
	}
	if other, err := log.Claim(ctx); err != nil {
		t.Errorf("claim of another after it was released: %v", err)
	} else if err := c.Put(ctx, meta, bytes.NewReader(object)); !errors.Is(err, ErrClaimed) {
		t.Errorf("Put without the claim: %v; %v", err, other)
	}
}
