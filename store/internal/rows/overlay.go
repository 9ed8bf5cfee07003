package rows

import "sync"

// Overlay holds the changes that the tail of the log makes to the rows of the tables: for
// each term and class the sum of the records that its table does not have. A reader adds it
// to the row. Each sum is kept for every position of the log that a reader may still read.
//
// One writer changes it while many read: a reader that began at position seq sees no
// change of a later one, so changes are added before their records are committed. If the
// commit fails the overlay is useless for all but them. Callers must hold the lock for Get
// and Touch, to read, and for Add; the other methods take it where they need it.
type Overlay struct {
	sync.RWMutex
	shards []shard
	shift  int // of a hash, to the number of its shard
	Terms  int // how many there are
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

// Touch prefetches the memory that Get and Documents read for the terms with these hashes:
// a processor overlaps many cache misses.
func (o *Overlay) Touch(hashes []uint64) (near uint64) {
	for _, hash := range hashes {
		s := o.shard(hash)
		if i := s.find(hash, nil); i >= 0 {
			e := &s.entries[i]
			near += uint64(s.terms[e.offset]) + uint64(e.all)
		}
	}
	return near
}

// Get appends to list the changes of the records above from, the position of the term's
// table, up to seq.
func (o *Overlay) Get(list []Change, hash uint64, term []byte, from, seq uint64) []Change {
	s := o.shard(hash)
	if i := s.find(hash, term); i >= 0 {
		list = s.changes(list, &s.entries[i], from, seq)
	}
	return list
}

// Find finds the term of a step, which is then found sooner until terms are purged.
func (o *Overlay) Find(step *Step) {
	step.entry = int32(o.shard(step.Hash).find(step.Hash, step.Term) + 1)
}

// Documents fills in how many documents of the class of a step, and of all classes, have
// its term now, and returns whether both are known without reading its table. Unknown
// numbers are left unchanged. Until the step is added terms may be added, but none purged.
func (o *Overlay) Documents(step *Step) (known bool) {
	if step.entry == 0 {
		o.Find(step)
	}
	if step.entry == 0 {
		return false
	}
	s := o.shard(step.Hash)
	e := &s.entries[step.entry-1]
	if e.all == unknown {
		return false
	}
	step.All = e.all
	c := s.cell(e, step.Class)
	if c == nil || c.docs == unknown {
		return false
	}
	step.Docs = c.docs
	return true
}

// Step is the change that one document makes to the cell of its class.
type Step struct {
	Hash  uint64
	Term  []byte
	Class uint32
	Sign  int64  // 1 if it is learned, -1 if it is forgotten
	N     uint8  // occurrences of the term
	W     uint64 // their weight

	// The number of documents of the class, and of all classes, with the term afterwards.
	Docs, All int64

	entry int32 // its index in the shard's entries plus one, 0 if it is not known or new
}

// At is the place of a step in the log.
type At struct {
	From      uint64 // the position up to which the term's table holds every record
	Seq       uint64 // of the record
	Committed uint64 // readers may begin at this position and before, and none after it
	Oldest    uint64 // no reader is before this position
}

// Add adds a step, and drops sums that no reader sees.
func (o *Overlay) Add(step *Step, at At) {
	s := o.shard(step.Hash)
	i := int(step.entry) - 1
	if i < 0 {
		i = s.find(step.Hash, step.Term)
	}
	if i < 0 {
		i = s.insert(step.Hash, step.Term, step.Class)
		o.Terms++
	}
	e := &s.entries[i]
	c := s.cell(e, step.Class)
	if c == nil {
		c = s.newCell(e, step.Class)
	}
	c.docs, e.all = step.Docs, step.All
	c.add(step, at)
}

// Changed is a term with the changes of its row.
type Changed struct {
	Hash    uint64
	Term    []byte
	Changes []Change
}

// Between returns the terms whose hash is above low (or from 0 on, if low is 0) and up to
// high with the changes of the records above from up to seq, without terms that have none.
func (o *Overlay) Between(low, high, from, seq uint64) []Changed {
	o.RLock()
	defer o.RUnlock()
	terms := 0
	for i := o.shardOf(low); i <= o.shardOf(high); i++ {
		terms += len(o.shards[i].entries)
	}
	list, arena := make([]Changed, 0, terms), make([]Change, 0, terms)
	for i := o.shardOf(low); i <= o.shardOf(high); i++ {
		s := &o.shards[i]
		for k := range s.entries {
			e := &s.entries[k]
			if !inRange(e.hash, low, high) {
				continue
			}
			first := len(arena)
			if arena = s.changes(arena, e, from, seq); len(arena) > first {
				list = append(list, Changed{e.hash, s.term(e), arena[first:len(arena):len(arena)]})
			}
		}
	}
	return list
}

// Purge drops the terms of a range of hashes that have no record after seq: the table has them.
func (o *Overlay) Purge(low, high, seq uint64) {
	o.Lock()
	defer o.Unlock()
	for i := o.shardOf(low); i <= o.shardOf(high); i++ {
		s := &o.shards[i]
		o.Terms -= len(s.entries)
		s.keep(func(e *entry) bool { return !inRange(e.hash, low, high) || s.newest(e) > seq })
		o.Terms += len(s.entries)
	}
}

// inRange reports whether hash belongs to the table of hashes above low up to
// high. The first table begins at 0.
func inRange(hash, low, high uint64) bool { return hash <= high && (hash > low || low == 0) }
