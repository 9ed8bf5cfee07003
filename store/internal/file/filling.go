package file

import (
	"bytes"
	"context"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// fillBytes bounds the bytes of one transaction of a Filling, which are in memory.
const fillBytes = 16 << 20

// Filling writes a new file that is empty, in transactions of bounded size.
type Filling struct {
	ctx    context.Context
	to     *File
	tx     *bolt.Tx
	from   *bolt.Tx // what All copies
	bytes  int      // written in tx
	name   []byte
	bucket *bolt.Bucket // of that name in tx
}

// Fill calls write to fill the copy, which is durable only after Finish. If write fails or ctx ends
// it is incomplete.
func (c *Copy) Fill(ctx context.Context, write func(*Filling) error) error {
	err := c.to.unsynced(func() (err error) {
		w := &Filling{ctx: ctx, to: c.to}
		if w.tx, err = c.to.bolt.Begin(true); err != nil {
			return err
		}
		defer func() { w.tx.Rollback() }() // nothing after the commit
		if err := write(w); err != nil {
			return err
		}
		if err := c.to.options.Seal(w.tx); err != nil {
			return err
		}
		return w.tx.Commit()
	})
	if err != nil {
		return fault.Advise(fault.WithoutPath(fault.Bolt(err), c.to.bolt.Path()))
	}
	return nil
}

// Tx returns the current transaction.
func (w *Filling) Tx() *bolt.Tx { return w.tx }

// Put writes a value. It is fastest where the keys of each bucket come in order, one
// bucket after the other. It returns the error of a context that has ended.
func (w *Filling) Put(bucket, key, value []byte) (err error) {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.bytes > fillBytes {
		if err := w.tx.Commit(); err != nil {
			return err
		}
		if w.from != nil {
			Forget(w.from)
		}
		if w.tx, err = w.to.bolt.Begin(true); err != nil {
			return err
		}
		w.bytes, w.bucket = 0, nil
	}
	if w.bucket == nil || !bytes.Equal(bucket, w.name) {
		w.name, w.bucket = bytes.Clone(bucket), w.tx.Bucket(bucket)
		w.bucket.FillPercent = w.to.options.Fill(bucket)
	}
	w.bytes += len(key) + len(value)
	return w.bucket.Put(key, value)
}

// All copies all buckets of tx. Where instead has a function for a bucket, that fills it; with nil
// the bucket is left out.
func (w *Filling) All(tx *bolt.Tx, instead map[string]func() error) error {
	w.from = tx
	return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
		fill, special := instead[string(name)]
		if special && fill == nil {
			return nil
		}
		to, err := w.tx.CreateBucket(name)
		if err == nil {
			err = to.SetSequence(b.Sequence())
		}
		if err == nil && special {
			return fill()
		}
		if err != nil {
			return err
		}
		return b.ForEach(func(k, v []byte) error { return w.Put(name, k, v) })
	})
}
