package model

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// termRecords keep what terms contribute to scores, so that what documents have in common
// is looked up and computed once. They hold two tables. When the young one is full it
// becomes the old one, and what is asked for again is added to the new one; the rest goes.
// Many goroutines read them at a time, and wait for nobody but to add.
type termRecords struct {
	now    atomic.Pointer[recordTables]
	adding sync.Mutex
}

type recordTables struct{ young, old *recordTable }

// recordTable is a hash table of records by term, which are never changed; see record.
// Nothing in it is a pointer, or collecting garbage would have to look at all of it.
type recordTable struct {
	slots  atomic.Pointer[[]atomic.Uint64] // the high half of the hash, and the place of a record; 0 if empty
	blocks [maxBlocks]*block               // filled before a slot leads there

	// Of who adds:
	used   int      // slots
	filled int      // blocks
	free   []uint64 // what is left of the last of them
}

type block [blockSize]uint64

const (
	blockSize = 1 << 14

	// maxBlocks is how many a table has at most: 64 MB.
	maxBlocks = 1 << 9

	// maxAll is how many blocks the tables of all models in the process may have. With
	// more, one of sureBlocks is full.
	maxAll     = 1 << 10
	sureBlocks = 1 << 4

	// MaxKept is the most terms of a document that is answered from records: one of more
	// would drive out all others.
	MaxKept = 1 << 11

	firstSlots = 1 << 10

	// inUse is set in every slot that is not empty.
	inUse = 1 << 31
)

const _ = uint(blockSize - maxRecord)

// kept is how many blocks there are in the process.
var kept atomic.Int64

func newRecordTable() *recordTable {
	t := new(recordTable)
	slots := make([]atomic.Uint64, firstSlots)
	t.slots.Store(&slots)
	return t
}

// find returns the record of the term of a hash, nil if there is none. The slot where the
// search begins holds first.
func (t *recordTable) find(slots []atomic.Uint64, first, hash uint64) record {
	mask := uint64(len(slots) - 1)
	for i, s := hash&mask, first; s != 0; {
		if s>>hashBits == hash>>hashBits {
			if r := t.at(uint32(s)); r.is(hash) {
				return r
			}
		}
		i = (i + 1) & mask
		s = slots[i].Load()
	}
	return nil
}

// at returns the words from a place on.
func (t *recordTable) at(place uint32) record {
	return t.blocks[place/blockSize%maxBlocks][place%blockSize:]
}

// room makes room for a record, and reports whether there is some.
func (t *recordTable) room(size int) bool {
	if 2*t.used >= len(*t.slots.Load()) {
		t.grow()
	}
	if size <= len(t.free) {
		return true
	}
	if t.filled == maxBlocks || t.filled >= sureBlocks && kept.Load() >= maxAll {
		return false
	}
	b := new(block)
	kept.Add(1)
	runtime.AddCleanup(b, func(n int64) { kept.Add(n) }, -1)
	t.blocks[t.filled], t.free = b, b[:]
	t.filled++
	return true
}

// grow doubles the slots.
func (t *recordTable) grow() {
	before := *t.slots.Load()
	slots := make([]atomic.Uint64, 2*len(before))
	for i := range before {
		if s := before[i].Load(); s != 0 {
			slots[freeSlot(slots, s>>hashBits<<hashBits|t.at(uint32(s))[0]>>hashBits)].Store(s)
		}
	}
	t.slots.Store(&slots)
}

// freeSlot returns where a term of that hash goes.
func freeSlot(slots []atomic.Uint64, hash uint64) uint64 {
	mask := uint64(len(slots) - 1)
	i := hash & mask
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	return i
}

// add keeps a record, for which there is room.
func (t *recordTable) add(hash uint64, r record) {
	place := uint32(t.filled*blockSize - len(t.free))
	t.free = t.free[copy(t.free, r):]
	t.used++
	slots := *t.slots.Load()
	slots[freeSlot(slots, hash)].Store(hash>>hashBits<<hashBits | uint64(place|inUse))
}

// tables returns those to read.
func (r *termRecords) tables() *recordTables {
	if r.now.Load() == nil {
		r.now.CompareAndSwap(nil, &recordTables{young: newRecordTable()})
	}
	return r.now.Load()
}

// add keeps the fresh records of a Reading. Two goroutines may add one of the same term,
// of which the first is found.
func (r *termRecords) add(m *Reading) {
	r.adding.Lock()
	defer r.adding.Unlock()
	now := r.tables()
	for _, i := range m.fresh {
		one := m.found[i][:m.found[i].size()]
		if !now.young.room(len(one)) {
			now = &recordTables{newRecordTable(), now.young}
			now.young.room(len(one))
			r.now.Store(now)
		}
		now.young.add(m.hashes[i], one)
	}
}

// record is what is kept of a term, in words, for a processor adds these up without a look
// at single bytes:
//
//	its size in words, flags, and the low half of the hash of the term
//	and, if the term is known,
//	what TermSums.Strong returns of it, if it is strong
//	what it contributes to the sum of squares, if there is such a sum
//	by list a run: a word for the number of contributions, and of each a word for
//	the sum, counted from the first of the list, and one for the value
//
// A run of more contributions than half the sums of its list, which are no means, is instead
// the word all and a value for each sum, of which 0 is none.
//
// The term itself is not there: that two have the same hash is as likely as two equal
// numbers of 64 bits drawn by chance, and nobody can write a document that makes it likelier.
type record []uint64

const (
	sizeBits = 16
	hashBits = 32

	isKnown   = 1 << (sizeBits + iota) // some class has the term
	isStrong                           // TermSums.Strong reports it
	ofField                            // and it is of a field
	ofChannel                          // it is of a channel

	// all is no number of contributions.
	all = math.MaxUint64

	// maxContributions is the most that a term may have, which are those to each class
	// of each part: of the default Stack 85 classes. With more, few terms would fill
	// the memory there is for them.
	maxContributions = 1 << 9

	maxRecord = 1 + 2 + (1+2)*maxContributions
)

const _ = uint(1<<sizeBits - 1 - maxRecord)

func (r record) size() int { return int(r[0] & (1<<sizeBits - 1)) }

// is reports whether the record is of the term of a hash of which the high half agrees.
func (r record) is(hash uint64) bool { return r[0]>>hashBits == hash&(1<<hashBits-1) }

// appendRun appends a run. With sums, their number, they are no means.
func appendRun(data []uint64, list []contribution, sums int) []uint64 {
	if 2*len(list) <= sums || sums == 0 {
		data = append(data, uint64(len(list)))
		for _, one := range list {
			data = append(data, uint64(one.class), math.Float64bits(one.value))
		}
		return data
	}
	data = append(data, all)
	at := len(data)
	data = append(data, make([]uint64, sums)...)
	for _, one := range list {
		data[at+one.class] = math.Float64bits(one.value)
	}
	return data
}

// addRun adds the contributions of the run that data begins with, times weight, to sums, and
// returns what follows it.
func addRun(sums []float64, data []uint64, weight float64) []uint64 {
	n := data[0]
	data = data[1:]
	if n == all {
		values := data[:len(sums)]
		for i, v := range values {
			sums[i] += weight * math.Float64frombits(v)
		}
		return data[len(sums):]
	}
	run := data[:2*n]
	for i := 1; i < len(run); i += 2 {
		sums[run[i-1]] += weight * math.Float64frombits(run[i])
	}
	return data[len(run):]
}

// weighed is a sum of weighed contributions with that of their weights.
type weighed struct{ value, weight float64 }

// addMeans is addRun to sums that are divided by those of their weights.
func addMeans(sums []weighed, data []uint64, weight float64) []uint64 {
	run := data[1:][:2*data[0]]
	for i := 1; i < len(run); i += 2 {
		to := &sums[run[i-1]]
		to.value += weight * math.Float64frombits(run[i])
		to.weight += weight
	}
	return data[1+len(run):]
}
