package store

import (
	"bytes"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// attributes checks the rows of each attribute, and calls f with it.
func (c *checker) attributes(f func(*attributes.Attribute)) error {
	h, err := c.s.tx.Header()
	if err != nil {
		return err
	}
	for _, name := range stored.AttributeBuckets {
		if have := c.s.tx.Bucket(name) != nil; have != (h.Flags&stored.FlagAttributes != 0) {
			c.corrupt("header", "it disagrees with the bucket %s about attributes", name)
			return nil
		}
	}
	b := c.s.tx.Bucket(stored.BucketAttribute)
	if b == nil {
		return nil
	}
	var docs []uint64
	for _, class := range c.s.Classes() {
		if class.Docs > 0 {
			docs = append(docs, class.Docs)
		}
	}
	listed, number := make(map[string]bool), c.s.numbers()
	var last []byte
	err = b.ForEach(func(k, v []byte) error {
		if bytes.Compare(k, last) <= 0 || len(k) > count.MaxNameBytes {
			return &CorruptError{What: "list of attributes"}
		}
		last = k
		listed[string(k)] = true // if nobody knows
		_, err := c.step(func() error {
			var row attributes.Row
			if err := attributes.ReadRow(k, v, &row); err != nil {
				return err
			}
			listed[string(k)] = attributes.Listed(row.Kind)
			a, err := attributes.Read(c.s.tx, string(k), &row, number)
			if err != nil {
				return err
			}
			if err := a.Check(docs); err != nil {
				return &CorruptError{What: attributes.NameOf(a.Name), Err: err}
			}
			f(&a)
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	return c.s.tx.Bucket(stored.BucketValue).ForEach(func(k, _ []byte) error {
		if name, _, ok := attributes.SplitValueKey(k); !ok || !listed[name] {
			c.corrupt("values of "+attributes.NameOf(name), "it has none")
		}
		return nil
	})
}
