package model

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/store/count"
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

// recordTable is a hash table of records by term. Records are never changed. One is
//
//	size of the term, one byte
//	1 if the term is known, and 2 if it is of a field, one byte
//	what TermSums.Strong returns of it, eight bytes
//	what it contributes to the sum of squares, eight bytes
//	how many contributions it has, two bytes for each of maxLists
//	the term
//	contributions by list: two bytes for the sum, eight for the value
//
// Nothing in it is a pointer, or collecting garbage would have to look at all of it.
type recordTable struct {
	slots  atomic.Pointer[[]atomic.Uint64] // the hash above the place of a record, 0 if empty
	blocks [maxBlocks]*block               // filled before a slot leads there

	// Of who adds:
	used   int    // slots
	filled int    // blocks
	free   []byte // what is left of the last of them
}

type block [blockSize]byte

const (
	blockSize = 1 << 17

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

	recordRatio      = 2
	recordSquare     = recordRatio + 8
	recordCounts     = recordSquare + 8
	recordHead       = recordCounts + 2*maxLists
	contributionSize = 2 + 8

	maxRecord = recordHead + count.MaxTermBytes + contributionSize*maxContributions
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

// find returns the record of a term, nil if there is none.
func (t *recordTable) find(slots []atomic.Uint64, hash uint32, term []byte) []byte {
	mask := uint32(len(slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := slots[i].Load()
		if s == 0 {
			return nil
		}
		if uint32(s>>32) != hash {
			continue
		}
		if record := t.at(uint32(s)); bytes.Equal(termOf(record), term) {
			return record
		}
	}
}

// at returns the bytes from a place on.
func (t *recordTable) at(place uint32) []byte {
	return t.blocks[place/blockSize%maxBlocks][place%blockSize:]
}

func termOf(record []byte) []byte { return record[recordHead : recordHead+int(record[0])] }

// sizeOf returns the number of bytes of the record that data begins with.
func sizeOf(data []byte) int {
	n := 0
	for i := range maxLists {
		n += int(binary.LittleEndian.Uint16(data[recordCounts+2*i:]))
	}
	return recordHead + int(data[0]) + contributionSize*n
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
			slots[freeSlot(slots, uint32(s>>32))].Store(s)
		}
	}
	t.slots.Store(&slots)
}

// freeSlot returns where a term of that hash goes.
func freeSlot(slots []atomic.Uint64, hash uint32) uint32 {
	mask := uint32(len(slots) - 1)
	i := hash & mask
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	return i
}

// add keeps a record, for which there is room.
func (t *recordTable) add(hash uint32, record []byte) {
	place := uint32(t.filled*blockSize - len(t.free))
	t.free = t.free[copy(t.free, record):]
	t.used++
	slots := *t.slots.Load()
	slots[freeSlot(slots, hash)].Store(uint64(hash)<<32 | uint64(place|inUse))
}

// tables returns those to read.
func (r *termRecords) tables() *recordTables {
	if r.now.Load() == nil {
		r.now.CompareAndSwap(nil, &recordTables{young: newRecordTable()})
	}
	return r.now.Load()
}

// add keeps the fresh records of a Reading.
func (r *termRecords) add(m *Reading) {
	r.adding.Lock()
	defer r.adding.Unlock()
	now := r.tables()
	for _, i := range m.fresh {
		record, hash := m.found[i], m.hashes[i]
		record = record[:sizeOf(record)]
		if now.young.find(*now.young.slots.Load(), hash, termOf(record)) != nil {
			continue // another goroutine was faster
		}
		if !now.young.room(len(record)) {
			now = &recordTables{newRecordTable(), now.young}
			now.young.room(len(record))
			r.now.Store(now)
		}
		now.young.add(hash, record)
	}
}

// appendContributions appends contributions to sums from that number on.
func appendContributions(dst []byte, to int, list []contribution) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, contributionSize*len(list))...)
	out := dst[at:]
	for _, one := range list {
		binary.LittleEndian.PutUint16(out, uint16(to+one.class))
		binary.LittleEndian.PutUint64(out[2:], math.Float64bits(one.value))
		out = out[contributionSize:]
	}
	return dst
}

const (
	// maxContributions is the most that a term may have, which are those to each class
	// of each part: of the default Stack 85 classes. With more, few terms would fill
	// the memory there is for them.
	maxContributions = 1 << 9

	// maxLists is how many lists there are: of three kinds of weights.
	maxLists = 6

	// maxSums is how many sums of a kind there can be, as two bytes number them.
	maxSums = 1 << 16
)
