package rows

import (
	"iter"
	"sync"
)

// Overlay holds the changes that the tail of the log makes to the rows of the tables: for
// each term and class the sum of the records that its table does not have. A reader adds it
// to the row. Each sum is kept for every position of the log that a reader may still read.
//
// One writer changes it while many read: a reader that began at position seq sees no
// change of a later one, so changes are added before their records are committed. If the
// commit fails the overlay is useless for all but them. Callers must hold the lock for Get
// and Touch, to read, and for AddDocument; the other methods take it where they need it.
type Overlay struct {
	sync.RWMutex
	shards []shard
	shift  int // of a hash, to the number of its shard
	terms  int
}

// shardBits is the number of leading bits of a hash that select its shard. A shard is a
// range of hashes, so that the terms of one table are found without reading all others.
const shardBits = 8

// NewOverlay returns an overlay without changes.
func NewOverlay() *Overlay {
	return &Overlay{shards: make([]shard, 1<<shardBits), shift: 64 - shardBits}
}

// NewSmallOverlay returns an overlay for some hundred terms.
func NewSmallOverlay() *Overlay { return &Overlay{shards: make([]shard, 1), shift: 64} }

func (o *Overlay) shardOf(hash uint64) int { return int(hash >> o.shift) }

func (o *Overlay) shard(hash uint64) *shard { return &o.shards[o.shardOf(hash)] }

// Size returns the number of terms.
func (o *Overlay) Size() int { return o.terms }

// Touch prefetches the memory that Get and Add read for the terms with these hashes:
// a processor overlaps many cache misses.
func (o *Overlay) Touch(hashes []uint64) (near uint64) {
	for _, hash := range hashes {
		if s := o.shard(hash); len(s.slots) > 0 {
			near += s.slots[s.slot(hash)]
		}
	}
	for _, hash := range hashes {
		s := o.shard(hash)
		if i := s.find(hash, nil); i >= 0 {
			e := &s.entries[i]
			near += uint64(s.terms[e.offset]) + uint64(e.w)
		}
	}
	return near
}

// Get appends to list the changes of the records above from, the position of the term's
// table, up to seq.
func (o *Overlay) Get(list []Change, hash uint64, term []byte, from, seq uint64) []Change {
	s := o.shard(hash)
	if i := s.find(hash, term); i >= 0 {
		list = s.entries[i].changes(list, from, seq)
	}
	return list
}

// At is the place of changes in the log.
type At struct {
	From      uint64 // the position up to which the term's table holds every record
	Seq       uint64 // of the record
	Committed uint64 // readers may begin at this position and before, and none after it
	Oldest    uint64 // no reader is before this position
}

// AddDocument adds the terms of a document of class sign times. from returns the position of the
// table of a hash: terms whose table has the record are passed over.
func (o *Overlay) AddDocument(t *Terms, class uint32, sign int64, at At, from func(hash uint64) uint64) {
	t.near += o.Touch(t.Hashes)
	for i, hash := range t.Hashes {
		if at.From = from(hash); at.From < at.Seq {
			o.sums(hash, t.Terms[i].Term, class, at).add(sign, t.Terms[i].N, t.W(i))
		}
	}
}

// sums returns the sums of a term and a class, to be changed by a record.
func (o *Overlay) sums(hash uint64, term []byte, class uint32, at At) *sums {
	s := o.shard(hash)
	i := s.find(hash, term)
	if i < 0 {
		i = s.insert(hash, term, class)
		o.terms++
	}
	c := s.entries[i].cellOf(class)
	c.next(at)
	return &c.sums
}

// Changed is a term with the changes of its row.
type Changed struct {
	Hash    uint64
	Term    []byte
	Changes []Change
}

// Between yields the terms whose hash is above low (or from 0 on, if low is 0) and up to
// high with the changes of the records above from up to seq, without terms that have none.
// Changes are valid until the next. The lock is not held meanwhile.
func (o *Overlay) Between(low, high, from, seq uint64) iter.Seq[Changed] {
	return func(yield func(Changed) bool) {
		var list []Changed
		var arena []Change
		for i := o.shardOf(low); i <= o.shardOf(high); i++ {
			list, arena = o.between(list[:0], arena[:0], &o.shards[i], low, high, from, seq)
			for _, c := range list {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// between is Between for a shard.
func (o *Overlay) between(list []Changed, arena []Change, s *shard, low, high, from, seq uint64) ([]Changed, []Change) {
	o.RLock()
	defer o.RUnlock()
	for k := range s.entries {
		e := &s.entries[k]
		if !inRange(e.hash, low, high) {
			continue
		}
		first := len(arena)
		if arena = e.changes(arena, from, seq); len(arena) > first {
			list = append(list, Changed{e.hash, s.term(e), arena[first:len(arena):len(arena)]})
		}
	}
	return list, arena
}

// Purge drops the terms of a range of hashes that have no record after seq: the table has them.
func (o *Overlay) Purge(low, high, seq uint64) {
	o.Lock()
	defer o.Unlock()
	for i := o.shardOf(low); i <= o.shardOf(high); i++ {
		s := &o.shards[i]
		o.terms -= len(s.entries)
		s.keep(func(e *entry) bool { return !inRange(e.hash, low, high) || e.newest() > seq })
		o.terms += len(s.entries)
	}
}

// inRange reports whether hash belongs to the table of hashes above low up to
// high. The first table begins at 0.
func inRange(hash, low, high uint64) bool { return hash <= high && (hash > low || low == 0) }
