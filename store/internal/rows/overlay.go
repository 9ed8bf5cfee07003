package rows

import (
	"sync"
)

// Overlay holds the rows of the terms that the tail of the log touches, the
// records that are not in every table yet. Its rows are absolute: where it has
// one, it is the row, and the table is not asked. Each row is kept for every
// position of the log that a reader may still look at.
//
// One writer changes it while many read: a reader that began at position seq
// sees no row of a later one, so rows are put before their records are
// committed and taken back if the commit fails. The lock is for Get, to read, and for Put
// and Undo; the other methods take it where they need it.
type Overlay struct {
	sync.RWMutex
	shards [shards]map[string]*rowVersions
	rows   int // how many terms have rows
}

// shards is a power of two: a shard is a range of hashes, so that the rows of
// one table are found without a look at all others.
const (
	shardBits = 8
	shards    = 1 << shardBits
)

type rowVersions struct {
	hash     uint64
	versions []rowVersion  // in order of seq
	first    [1]rowVersion // memory of the first: most have no other
}

// rowVersion is a row as of a position of the log; nil if no class has the term.
type rowVersion struct {
	seq uint64
	row []byte
}

// NewOverlay returns an overlay without rows.
func NewOverlay() *Overlay { return &Overlay{} }

func shardOf(hash uint64) int { return int(hash >> (64 - shardBits)) }

// Size is the number of terms that have rows.
func (o *Overlay) Size() int { return o.rows }

// Get returns the row as of seq and whether there is one.
func (o *Overlay) Get(hash uint64, term []byte, seq uint64) ([]byte, bool) {
	e := o.shards[shardOf(hash)][string(term)]
	if e == nil {
		return nil, false
	}
	return e.at(seq)
}

// at returns the row as of seq and whether there is one.
func (e *rowVersions) at(seq uint64) ([]byte, bool) {
	for i := len(e.versions) - 1; i >= 0; i-- {
		if e.versions[i].seq <= seq {
			return e.versions[i].row, true
		}
	}
	return nil, false
}

// Put adds the row of term as of seq, and drops those that no reader from oldest on sees.
func (o *Overlay) Put(hash uint64, term []byte, seq uint64, row []byte, oldest uint64) {
	shard := &o.shards[shardOf(hash)]
	if *shard == nil {
		*shard = make(map[string]*rowVersions)
	}
	e := (*shard)[string(term)]
	if e == nil {
		e = &rowVersions{hash: hash}
		e.versions = e.first[:0]
		(*shard)[string(term)] = e
		o.rows++
	}
	drop := 0
	for drop+1 < len(e.versions) && e.versions[drop+1].seq <= oldest {
		drop++
	}
	// A new slice rather than a shift: readers hold the lock, but keep it so.
	e.versions = append(e.versions[drop:], rowVersion{seq, row})
}

// Undo takes back the version of term as of seq.
func (o *Overlay) Undo(hash uint64, term []byte, seq uint64) {
	shard := o.shards[shardOf(hash)]
	e := shard[string(term)]
	if n := len(e.versions); n > 0 && e.versions[n-1].seq == seq {
		e.versions = e.versions[:n-1]
	}
	if len(e.versions) == 0 {
		delete(shard, string(term))
		o.rows--
	}
}

// Between calls f with the newest row of each term whose hash is above low
// (or from 0 on, if low is 0) and up to high.
func (o *Overlay) Between(low, high uint64, f func(hash uint64, term string, row []byte)) {
	for s := shardOf(low); s <= shardOf(high); s++ {
		for term, e := range o.shards[s] {
			if inRange(e.hash, low, high) {
				f(e.hash, term, e.versions[len(e.versions)-1].row)
			}
		}
	}
}

// Purge drops the terms of a range of hashes that are no newer than seq: the table has them.
func (o *Overlay) Purge(low, high, seq uint64) {
	o.Lock()
	defer o.Unlock()
	for s := shardOf(low); s <= shardOf(high); s++ {
		for term, e := range o.shards[s] {
			if inRange(e.hash, low, high) && e.versions[len(e.versions)-1].seq <= seq {
				delete(o.shards[s], term)
				o.rows--
			}
		}
	}
}

// inRange reports whether hash belongs to the table of hashes above low up to
// high. The first table begins at 0.
func inRange(hash, low, high uint64) bool { return hash <= high && (hash > low || low == 0) }

// AsOf returns all rows as of seq, those of terms that no class has too.
func (o *Overlay) AsOf(seq uint64) []Row {
	o.RLock()
	defer o.RUnlock()
	list := make([]Row, 0, o.rows)
	for _, shard := range o.shards {
		for term, e := range shard {
			if row, found := e.at(seq); found {
				list = append(list, Row{Hash: e.hash, Term: []byte(term), Data: row})
			}
		}
	}
	return list
}

// MostVersions is the greatest number of versions that a row is kept in.
func (o *Overlay) MostVersions() (n int) {
	o.RLock()
	defer o.RUnlock()
	for _, shard := range o.shards {
		for _, e := range shard {
			n = max(n, len(e.versions))
		}
	}
	return n
}
