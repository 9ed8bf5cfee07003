package model

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/polya-classifier/polya/store/count"
)

// generation is a hash table of terms, 0 being an empty slot. A record is
//
//	size of the term, one byte
//	1 if the term is known, and 2 if it is of a field, one byte
//	what TermSums.Strong returns of it, eight bytes
//	its square, eight bytes
//	how many contributions it has, two bytes for each of maxWeights
//	the term
//	contributions by weights: two bytes for the sum, eight for the value
//
// Nothing in it is a pointer, or collecting garbage would have to look at all of it.
type generation struct {
	slots []slot
	used  int
	data  []byte
}

// slot is eight bits of the hash of a term above the place of its record.
type slot uint32

const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

func (s slot) place() uint32 { return uint32(s) & placeMask }

// is reports whether the slot may be that of a term of that hash.
func (s slot) is(hash uint32) bool { return uint32(s)>>placeBits == hash>>placeBits }

const (
	// A generation is full from so many terms or bytes on.
	maxCachedTerms = 1 << 13
	maxCachedBytes = 1 << 22

	// MaxCached is the most terms of a document that is answered from a
	// Cache: one of more would drive out all others.
	MaxCached = 1 << 11

	// cacheSlots are never more than two thirds in use.
	cacheSlots = 1 << 14

	// maxWeights is how many kinds of weights there are.
	maxWeights = 3

	recordRatio      = 2
	recordSquare     = recordRatio + 8
	recordCounts     = recordSquare + 8
	recordHead       = recordCounts + 2*maxWeights
	contributionSize = 2 + 8

	maxRecord = recordHead + count.MaxTermBytes + contributionSize*maxContributions
)

// Every record of a document that is added to a generation not yet full has a place.
const _ = uint(placeMask - maxCachedBytes - MaxCached*maxRecord)

func (g *generation) clear() {
	if g.used > 0 {
		clear(g.slots)
		g.used, g.data = 0, g.data[:recordHead]
	}
}

// find returns the place of the record of a term, or 0 and the slot where its is to go.
func (g *generation) find(hash uint32, term []byte) (at uint32, free uint32) {
	for i := hash % cacheSlots; ; i = (i + 1) % cacheSlots {
		s := g.slots[i]
		if s == 0 {
			return 0, i
		}
		if s.is(hash) && bytes.Equal(g.term(s.place()), term) {
			return s.place(), i
		}
	}
}

// term returns the term of the record at a place.
func (g *generation) term(at uint32) []byte {
	record := g.data[at:]
	return record[recordHead : recordHead+int(record[0])]
}

// size returns the number of bytes of the record at a place.
func (g *generation) size(at uint32) int {
	record := g.data[at:]
	n := 0
	for i := range maxWeights {
		n += int(binary.LittleEndian.Uint16(record[recordCounts+2*i:]))
	}
	return recordHead + int(record[0]) + contributionSize*n
}

// insert adds the record that begins at the end of data.
func (g *generation) insert(free, hash, at uint32) {
	g.slots[free] = slot(hash>>placeBits<<placeBits | at)
	g.used++
}

// append appends contributions to sums from that number on.
func (g *generation) append(to int, list []contribution) {
	for _, one := range list {
		g.data = binary.LittleEndian.AppendUint16(g.data, uint16(to+one.class))
		g.data = binary.LittleEndian.AppendUint64(g.data, math.Float64bits(one.value))
	}
}

const (
	// maxContributions is the most that a term may have, which are those to each class
	// of each part: of the default Stack 85 classes. With more, few terms would fill
	// the memory there is for them.
	maxContributions = 1 << 9

	// maxSums is how many sums there can be, as two bytes number them.
	maxSums = 1 << 16
)
