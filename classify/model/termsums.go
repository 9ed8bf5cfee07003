package model

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/classify/internal/layer"
)

// TermSums computes the scores of a Stack from the contributions of terms, which are the
// same in all documents. It caches the contributions of terms, up to a bound, for later
// documents. Once its fields are set it is safe for concurrent use.
type TermSums struct {
	// Strong, if not nil, returns the ratio of a term to report, or 0.
	Strong func(row *Row) float64

	// FieldsOf, if not nil, is Evidence.FieldsOf.
	FieldsOf func(term []byte) Fields

	stack   *stackScorer
	classes int
	records termRecords
	first   []int            // by part of the stack: the first sum that terms contribute to
	lists   []list           // parts that are neither ratios nor a Layer
	layers  [layer.Kinds]int // by kind of terms: the part that is a Layer, -1 if there is none
	means   int              // sums of ratios
	sums    int              // other sums
}

// list is a group of parts that weigh terms equally.
type list struct {
	weights *countWeights
	parts   []int
}

// NewTermSums returns nil for a scorer that does not sum contributions, or for too many
// classes.
func NewTermSums(scorer Scorer, classes int) *TermSums {
	stack, ok := scorer.(*stackScorer)
	if !ok {
		return nil
	}
	k := &TermSums{stack: stack, classes: classes, first: make([]int, len(stack.parts)), layers: [layer.Kinds]int{-1, -1}}
	parts := 0
	for i := range stack.parts {
		if stack.parts[i].attributes {
			continue
		}
		if !k.add(i) {
			return nil
		}
		if i != k.layers[1] { // whose terms contribute to no more than that and to ratios
			parts++
		}
	}
	if parts == 0 || parts*classes > maxContributions || max(k.means, k.sums) > maxSums || len(k.lists) > maxLists {
		return nil
	}
	return k
}

// add adds part i, and reports whether that can be.
func (k *TermSums) add(i int) bool {
	switch p := &k.stack.parts[i]; {
	case p.ratios != nil:
		k.first[i] = k.means
		k.means += p.ratios.sums()
		return true
	case p.terms == nil || Component{Model: p.model}.Levels() || p.layer != nil && k.layers[p.layer.kind] >= 0: // there is room for one Layer of each kind
		return false
	case p.layer != nil:
		k.layers[p.layer.kind] = i
	default:
		weights := p.terms.weights
		at := slices.IndexFunc(k.lists, func(one list) bool { return one.weights == weights })
		if at < 0 {
			at = len(k.lists)
			k.lists = append(k.lists, list{weights: weights})
		}
		k.lists[at].parts = append(k.lists[at].parts, i)
	}
	k.first[i] = k.sums
	k.sums += k.classes
	return true
}

// termRecords caches the contributions of terms to scores. A full table is dropped, and an
// empty one takes its place. Many goroutines can read at a time, and wait only to add.
type termRecords struct {
	now    atomic.Pointer[recordTable]
	adding sync.Mutex
}

// recordTable is a hash table of records by term, which are never changed; see record. It
// contains no pointers, so that the garbage collector does not scan it.
type recordTable struct {
	slots  atomic.Pointer[[]atomic.Uint64] // the high half of the hash, and the position of a record; 0 if empty
	blocks [maxBlocks]*block               // filled before a slot refers to it

	// For the adding goroutine:
	used   int      // slots
	filled int      // blocks
	free   []uint64 // the rest of the last block
}

type block [blockSize]uint64

const (
	blockSize = 1 << 14

	// maxBlocks is the largest number of blocks of a table: 64 MB.
	maxBlocks = 1 << 9

	// maxAll is the largest number of blocks of all tables in the process. With more, a table
	// with sureBlocks counts as full.
	maxAll     = 1 << 10
	sureBlocks = 1 << 4

	// maxFresh is the most records that a document may add: more would drive out all others.
	maxFresh = 1 << 11

	firstSlots = 1 << 10

	// inUse is set in every non-empty slot.
	inUse = 1 << 31
)

const _ = uint(blockSize - maxRecord)

// kept is the number of blocks in the process.
var kept atomic.Int64

func newRecordTable() *recordTable {
	t := new(recordTable)
	slots := make([]atomic.Uint64, firstSlots)
	t.slots.Store(&slots)
	return t
}

// find returns the record of the term with this hash, nil if there is none. first is the
// content of the slot where the search begins.
func (t *recordTable) find(slots []atomic.Uint64, first, hash uint64) record {
	mask := uint64(len(slots) - 1)
	for i, s := hash>>hashBits&mask, first; s != 0; {
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

// at returns the words from a position on.
func (t *recordTable) at(place uint32) record {
	return t.blocks[place/blockSize%maxBlocks][place%blockSize:]
}

// reserve makes space for a record, and reports whether that was possible.
func (t *recordTable) reserve(size int) bool {
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
			slots[freeSlot(slots, s)].Store(s)
		}
	}
	t.slots.Store(&slots)
}

// freeSlot returns the slot for a term by the high half of its hash.
func freeSlot(slots []atomic.Uint64, hash uint64) uint64 {
	mask := uint64(len(slots) - 1)
	i := hash >> hashBits & mask
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	return i
}

// add stores a record; there must be room.
func (t *recordTable) add(hash uint64, r record) {
	place := uint32(t.filled*blockSize - len(t.free))
	t.free = t.free[copy(t.free, r):]
	t.used++
	slots := *t.slots.Load()
	slots[freeSlot(slots, hash)].Store(hash>>hashBits<<hashBits | uint64(place|inUse))
}

// table returns the table to read.
func (r *termRecords) table() *recordTable {
	if r.now.Load() == nil {
		r.now.CompareAndSwap(nil, newRecordTable())
	}
	return r.now.Load()
}

// add stores the records of the missing terms of a Reading. Two goroutines may add records of the same
// term; the first is found.
func (r *termRecords) add(m *Reading) {
	r.adding.Lock()
	defer r.adding.Unlock()
	now := r.table()
	for _, i := range m.missing {
		one := m.found[i][:m.found[i].size()]
		if !now.reserve(len(one)) {
			now = newRecordTable()
			now.reserve(len(one))
			r.now.Store(now)
		}
		now.add(m.hashes[i], one)
	}
}
