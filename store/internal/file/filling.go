package file

import (
	"bytes"
	"context"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
)

// fillBytes bounds the bytes of one transaction that fills a copy, which are in memory.
const fillBytes = 16 << 20

// filling is the state of a copy that is being filled.
type filling struct {
	ctx    context.Context
	Tx     *bolt.Tx // the current one
	from   *bolt.Tx // what All copies by Put
	bytes  int      // written in Tx
	name   []byte
	bucket *bolt.Bucket // of that name in Tx
}

// Fill calls write to fill the empty copy, in transactions of bounded size. The copy is durable only
// after Finish. If write fails or ctx ends it is incomplete.
func (c *Copy) Fill(ctx context.Context, write func() error) error {
	c.filling = filling{ctx: ctx}
	err := c.to.unsynced(func() (err error) {
		if c.Tx, err = c.to.bolt.Begin(true); err != nil {
			return err
		}
		defer func() { c.Tx.Rollback() }() // nothing after the commit
		if err := write(); err != nil {
			return err
		}
		if err := c.to.options.Seal(c.Tx); err != nil {
			return err
		}
		return c.Tx.Commit()
	})
	if err != nil {
		return fault.Advise(fault.WithoutPath(fault.Bolt(err), c.to.bolt.Path()))
	}
	return nil
}

// Put writes a value. It is fastest where the keys of each bucket come in order, one
// bucket after the other. It returns the error of a context that has ended.
func (c *Copy) Put(bucket, key, value []byte) (err error) {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.bytes > fillBytes {
		if err := c.Tx.Commit(); err != nil {
			return err
		}
		Forget(c.from)
		if c.Tx, err = c.to.bolt.Begin(true); err != nil {
			return err
		}
		c.bytes, c.bucket = 0, nil
	}
	if c.bucket == nil || !bytes.Equal(bucket, c.name) {
		c.name, c.bucket = bytes.Clone(bucket), c.Tx.Bucket(bucket)
		c.bucket.FillPercent = c.to.options.Fill(bucket)
	}
	c.bytes += len(key) + len(value)
	return c.bucket.Put(key, value)
}

// All copies all buckets of tx. Where instead has a function for a bucket, that fills it; with nil
// the bucket is left out.
func (c *Copy) All(tx *bolt.Tx, instead map[string]func() error) error {
	c.from = tx
	return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
		fill, special := instead[string(name)]
		if special && fill == nil {
			return nil
		}
		to, err := c.Tx.CreateBucket(name)
		if err == nil {
			err = to.SetSequence(b.Sequence())
		}
		switch {
		case err != nil:
			return err
		case special:
			return fill()
		}
		return b.ForEach(func(k, v []byte) error { return c.Put(name, k, v) })
	})
}
