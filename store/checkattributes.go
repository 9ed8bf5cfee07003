package store

import (
	"bytes"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/attributes"
	"github.com/polya-classifier/polya/store/internal/stored"
)

// attributeRows checks each row of an attribute, and that its values sum to the row.
func (c *checker) attributeRows() error {
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
	listed := make(map[string]bool)
	var last []byte
	err = b.ForEach(func(k, v []byte) error {
		if bytes.Compare(k, last) <= 0 || len(k) > count.MaxNameBytes {
			return &CorruptError{What: "list of attributes"}
		}
		last = k
		c.report.Attributes++
		var row attributes.Row
		if err := attributes.ReadRow(k, v, &row); err != nil {
			c.found(err)
			listed[string(k)] = true // nobody knows
			return nil
		}
		listed[string(k)] = attributes.Listed(row.Kind)
		_, err := c.step(func() error { return c.attribute(string(k), &row) })
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

func (c *checker) attribute(name string, row *attributes.Row) error {
	what := attributes.NameOf(name)
	for i := range row.Cells {
		cell := &row.Cells[i]
		at := c.s.totals.At(count.ClassID(cell.Class))
		if at < 0 {
			c.corrupt(what, "class %d: %w", cell.Class, ErrNoClass)
			continue
		}
		class := c.s.totals.Classes[at]
		if cell.N > class.Docs {
			c.corrupt(what, "%d documents of class %q have it, of %d", cell.N, class.Name, class.Docs)
		}
		if cell.Check() != nil {
			c.corrupt(what, "no %d documents give the sums of class %q", cell.N, class.Name)
		}
	}
	values := attributes.NewValueCheck(name, row)
	err := attributes.EachValueRow(c.s.tx.Bucket(stored.BucketValue), name, func(key []byte, v *attributes.Row) error {
		_, value, _ := attributes.SplitValueKey(key)
		return values.Add(value, v)
	})
	if err == nil {
		err = values.Finish()
	}
	if err != nil {
		c.corrupt(what, "%w", err)
	}
	return nil
}
