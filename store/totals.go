package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// totals is what is counted of all classes as of a position of the log. It is
// immutable once it is published: training makes a new one that shares the
// classes which did not change.
type totals struct {
	seq        uint64
	vocabulary uint64
	classes    []*Class // in order of name
	index      []int32  // by class id: where it is in classes, or -1
	tailBytes  int      // of the terms in the log that no table has yet, about
}

// loadTotals sums the totals of the file and of the tail of the log.
func loadTotals(tx *bolt.Tx) (*totals, corpus, error) {
	base, err := decodeCorpus(tx.Bucket(bucketMeta).Get(keyCorpus))
	if err != nil {
		return nil, base, err
	}
	t := &totals{seq: base.seq, vocabulary: base.vocabulary}
	err = tx.Bucket(bucketClass).ForEach(func(k, v []byte) error {
		name := string(checkCRC(v, k))
		if len(k) != 4 || checkName(name) != nil {
			return &CorruptError{What: "class " + keyName(k)}
		}
		c := &Class{ID: ClassID(binary.BigEndian.Uint32(k)), Name: name}
		if total := tx.Bucket(bucketTotal).Get(k); total != nil {
			if err := decodeClass(total, k, c); err != nil {
				return err
			}
		}
		t.classes = append(t.classes, c)
		return nil
	})
	if err != nil {
		return nil, base, err
	}
	t.order()
	err = eachRecord(tx, base.merged, func(rec *record) error {
		t.tailBytes += len(rec.doc.terms)
		if rec.seq <= base.seq {
			return nil
		}
		return t.add(rec)
	})
	return t, base, err
}

// eachRecord calls f with each log record above seq, in order. The record is
// valid only during the call.
func eachRecord(tx *bolt.Tx, seq uint64, f func(*record) error) error {
	c := tx.Bucket(bucketLog).Cursor()
	for k, v := c.Seek(seqKey(seq + 1)); k != nil; k, v = c.Next() {
		rec, err := decodeRecord(k, v)
		if err != nil {
			return err
		}
		if err := f(&rec); err != nil {
			return err
		}
	}
	return nil
}

// order sorts the classes by name and makes the index.
func (t *totals) order() {
	slices.SortFunc(t.classes, func(a, b *Class) int { return strings.Compare(a.Name, b.Name) })
	size := 0
	for _, c := range t.classes {
		size = max(size, int(c.ID)+1)
	}
	t.index = make([]int32, size)
	for i := range t.index {
		t.index[i] = -1
	}
	for i, c := range t.classes {
		t.index[c.ID] = int32(i)
	}
}

// at returns where class id is in t.classes, or -1.
func (t *totals) at(id ClassID) int {
	if int64(id) >= int64(len(t.index)) {
		return -1
	}
	return int(t.index[id])
}

// named returns the class of that name, or nil.
func (t *totals) named(name string) *Class {
	i, found := slices.BinarySearchFunc(t.classes, name, func(c *Class, name string) int { return strings.Compare(c.Name, name) })
	if !found {
		return nil
	}
	return t.classes[i]
}

// clone returns a copy whose classes are still shared.
func (t *totals) clone() *totals {
	c := *t
	c.classes = slices.Clone(t.classes)
	return &c
}

// own replaces class i by a copy that may be changed, and returns it.
func (t *totals) own(i int) *Class {
	c := *t.classes[i]
	c.Lengths = slices.Clone(c.Lengths)
	c.Frequencies = slices.Clone(c.Frequencies)
	t.classes[i] = &c
	return &c
}

// add counts a record. t's classes must be its own.
func (t *totals) add(rec *record) error {
	i := t.at(rec.class)
	if i < 0 || rec.seq <= t.seq {
		return &CorruptError{What: fmt.Sprintf("log record %d", rec.seq), Err: ErrNoClass}
	}
	if !t.classes[i].add(rec) {
		return &CorruptError{What: fmt.Sprintf("log record %d", rec.seq), Err: fmt.Errorf("it takes more from class %q than that has", t.classes[i].Name)}
	}
	t.seq = rec.seq
	if rec.op == opTrain {
		t.vocabulary += rec.fresh
	} else {
		t.vocabulary -= rec.fresh
	}
	return nil
}

// add counts a record, and returns false if a count would fall below zero; the
// class is then useless.
func (c *Class) add(rec *record) bool {
	sign := int64(1)
	if rec.op == opUntrain {
		sign = -1
	}
	ok := addTo(&c.Docs, sign) && addTo(&c.Tokens, sign*int64(rec.doc.tokens)) && addTo(&c.Weight, sign*int64(rec.weight))
	if rec.keep == LedgerNone {
		ok = ok && addTo(&c.Loose, sign)
	}
	ok = ok && addPair(&c.Lengths, rec.doc.tokens, sign)
	for _, m := range rec.moves {
		ok = ok && c.move(m.N, uint64(int64(m.N)+sign), int64(m.Count))
	}
	return ok
}

// move counts that the document frequency of n terms has gone from before to
// after.
func (c *Class) move(before, after uint64, n int64) bool {
	ok := true
	if before > 0 {
		ok = addPair(&c.Frequencies, before, -n) && addTo(&c.Terms, -n)
	}
	if after > 0 {
		ok = ok && addPair(&c.Frequencies, after, n) && addTo(&c.Terms, n)
	}
	return ok
}

func addTo(v *uint64, d int64) bool {
	*v += uint64(d)
	return d >= 0 || *v < *v-uint64(d)
}

// addPair adds d to the count of n, and returns false if that falls below zero.
func addPair(pairs *[]Pair, n uint64, d int64) bool {
	i, found := slices.BinarySearchFunc(*pairs, n, func(p Pair, n uint64) int { return cmpUint64(p.N, n) })
	if !found {
		if d == 0 {
			return true
		}
		*pairs = slices.Insert(*pairs, i, Pair{n, 0})
	}
	p := &(*pairs)[i]
	if !addTo(&p.Count, d) {
		return false
	}
	if p.Count == 0 {
		*pairs = slices.Delete(*pairs, i, i+1)
	}
	return true
}
