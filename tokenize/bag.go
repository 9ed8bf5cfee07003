package tokenize

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/polya-classifier/polya/internal/bytesort"
	"github.com/polya-classifier/polya/tokenize/internal/window"
)

const (
	// MaxCount is the largest count a term has in one document; further occurrences are not
	// counted, so that every event model sees the same document. It fits one byte of a log record.
	MaxCount = 255

	// MaxTermBytes is the length of the longest term. A longer one is cut at a rune boundary,
	// so that every term fits a key, a row and a line of a dump.
	MaxTermBytes = 128
)

// Bag counts the occurrences of each distinct term of one document. The zero value is an
// empty Bag, ready for use. After Reset a Bag allocates nothing for a document no larger
// than the last one. It is not safe for concurrent use.
type Bag struct {
	arena   []byte  // the terms, concatenated
	terms   []entry // in order of first occurrence, until Sort
	slots   []int32 // open addressing: index into terms plus one, 0 is empty
	tokens  int
	channel int  // terms of channels
	grown   int  // bytes by which long words were lengthened
	moved   bool // slots are out of date: Sort has moved the terms
	sorter  bytesort.Sorter[entry]
	sampled []byte   // the text of which the grams are
	grams   []uint16 // given instead
}

type entry struct {
	hash   uint64
	head   uint64 // the number of the term
	offset uint32
	length uint8
	count  uint8
}

// Add counts one occurrence of term. The bytes are copied. The empty term is not counted. A
// term whose first byte is 1 belongs to a channel, which is counted separately
// (count.OfChannel); with any other first byte it is an ordinary term.
func (b *Bag) Add(term []byte) { b.AddN(term, 1) }

// AddN counts n occurrences of term, n ≥ 0. The total count stays at most MaxCount.
func (b *Bag) AddN(term []byte, n int) {
	if len(term) == 0 || n <= 0 {
		return
	}
	term = window.Cut(term, MaxTermBytes)
	b.add(hashOf(term), number(term), term, len(term), n)
}

// addShort counts one occurrence of a term of size bytes, 1 to 8, given as a number.
func (b *Bag) addShort(term uint64, size int) {
	b.add(hashShort(term, size), term, nil, size, 1)
}

// add counts n occurrences of a term, and records none. Head is its number. term may be nil
// if the term has at most eight bytes.
func (b *Bag) add(hash, head uint64, term []byte, size, n int) {
	if len(b.slots) < 2*(len(b.terms)+1) {
		b.rehash(max(256, 2*len(b.slots)))
	}
	if b.moved {
		b.rehash(len(b.slots))
	}
	mask := uint64(len(b.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		at := b.slots[i]
		if at == 0 {
			at = b.insert(hash, head, term, size)
			b.slots[i] = at
		}
		e := &b.terms[at-1]
		if e.hash != hash || e.head != head || int(e.length) != size || size > 8 && !bytes.Equal(b.term(e), term) {
			continue
		}
		n = min(n, MaxCount-int(e.count))
		e.count += uint8(n)
		b.tokens += n
		return
	}
}

// insert makes an entry of a new term and returns its index plus one.
func (b *Bag) insert(hash, head uint64, term []byte, size int) int32 {
	offset := len(b.arena)
	b.terms = append(b.terms, entry{})
	e := &b.terms[len(b.terms)-1] // writing a copy and copying it takes longer
	e.hash, e.head, e.offset, e.length = hash, head, uint32(offset), uint8(size)
	if size <= 8 {
		b.arena = binary.LittleEndian.AppendUint64(b.arena, head)[:offset+size]
	} else {
		b.arena = append(b.arena, term...)
	}
	return int32(len(b.terms))
}

// addOnce counts a term once, however often it is added.
func (b *Bag) addOnce(term []byte) {
	if b.count(term) == 0 {
		b.Add(term)
	}
}

// addChannel counts a term of a channel once, and returns false if the limit of channel
// terms is reached.
func (b *Bag) addChannel(term []byte) bool {
	term = window.Cut(term, MaxTermBytes)
	if b.count(term) > 0 {
		return true
	}
	if b.channel >= MaxChannel {
		return false
	}
	b.channel++
	b.Add(term)
	return true
}

// Unread reports whether the document is a message without a word in its text that can be
// read: it is empty, or a picture, or in a format that is not read. Only its header tells
// what it is, which a sender may copy.
func (b *Bag) Unread() bool { return b.count([]byte("missing:text")) > 0 }

// count returns the count of a term, 0 if it is absent.
func (b *Bag) count(term []byte) int {
	if len(b.terms) == 0 {
		return 0
	}
	if b.moved {
		b.rehash(len(b.slots))
	}
	hash := hashOf(term)
	mask := uint64(len(b.slots) - 1)
	for i := hash & mask; b.slots[i] != 0; i = (i + 1) & mask {
		if e := &b.terms[b.slots[i]-1]; e.hash == hash && bytes.Equal(b.term(e), term) {
			return int(e.count)
		}
	}
	return 0
}

// Len returns the number of distinct terms.
func (b *Bag) Len() int { return len(b.terms) }

// Tokens returns the number of occurrences counted, the sum of the counts of all terms.
func (b *Bag) Tokens() int { return b.tokens }

// At returns term i, 0 ≤ i < Len, and its count, 1 to MaxCount. Terms come in
// order of first occurrence, or in byte order after Sort. The bytes are valid
// until the next Reset and must not be changed.
func (b *Bag) At(i int) (term []byte, count int) {
	e := &b.terms[i]
	return b.term(e), int(e.count)
}

// Hash returns a hash of term i, 0 ≤ i < Len: equal for equal terms in all Bags of this
// process, different in each process, and unpredictable from outside.
func (b *Bag) Hash(i int) uint64 { return b.terms[i].hash }

// Sort orders the terms by their bytes. Terms can still be added; new ones are appended
// unsorted.
func (b *Bag) Sort() {
	b.sorter.Sort(b.terms, b.term)
	b.moved = true
}

// Sample makes AppendGrams append a sample of a copy of text.
func (b *Bag) Sample(text []byte) { b.sampled, b.grams = append(b.sampled[:0], text...), b.grams[:0] }

// SetGrams makes AppendGrams append a copy of these.
func (b *Bag) SetGrams(grams []uint16) {
	b.sampled, b.grams = b.sampled[:0], append(b.grams[:0], grams...)
}

// AppendGrams appends to dst a sample of the sequences of four bytes of the header if the document is
// a message. They are not counted. A nil Bag has none.
func (b *Bag) AppendGrams(dst []uint16) []uint16 {
	switch {
	case b == nil:
		return dst
	case len(b.sampled) > 0:
		return appendGrams(dst, b.sampled)
	}
	return append(dst, b.grams...)
}

// Reset empties the Bag and keeps its memory.
func (b *Bag) Reset() {
	if len(b.slots) > 64*max(len(b.terms), 256) {
		b.slots = nil // of a large document: small ones after it need not clear them
	}
	clear(b.slots)
	b.arena = b.arena[:0]
	b.terms = b.terms[:0]
	b.tokens = 0
	b.channel, b.grown = 0, 0
	b.moved = false
	b.SetGrams(nil)
}

func (b *Bag) term(e *entry) []byte {
	return b.arena[e.offset : e.offset+uint32(e.length) : e.offset+uint32(e.length)]
}

// rehash places all terms anew among n slots, a power of two.
func (b *Bag) rehash(n int) {
	b.moved = false
	if n == len(b.slots) {
		clear(b.slots)
	} else {
		b.slots = make([]int32, n)
	}
	for k := range b.terms {
		i := b.terms[k].hash & uint64(n-1)
		for b.slots[i] != 0 {
			i = (i + 1) & uint64(n-1)
		}
		b.slots[i] = int32(k + 1)
	}
}

// number returns the first eight bytes of a term as a number, the first one lowest, padded
// with zeros.
func number(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.LittleEndian.Uint64(term)
	}
	var b [8]byte
	copy(b[:], term)
	return binary.LittleEndian.Uint64(b[:])
}

// secrets make hashes unpredictable to authors of documents. They have no visible effect.
var secrets = [3]uint64{rand.Uint64(), rand.Uint64(), rand.Uint64()}

// hashOf returns a hash of a term, made by multiplication, as in Go's maps on processors
// without AES.
func hashOf(term []byte) uint64 {
	h, n := number(term), len(term)
	if n <= 8 {
		return hashShort(h, n)
	}
	for term = term[8:]; len(term) > 8; term = term[8:] {
		h = fold(h^secrets[0], binary.LittleEndian.Uint64(term)^secrets[1])
	}
	return fold(fold(h^secrets[0], number(term)^secrets[1]), uint64(n)^secrets[2])
}

// hashShort is hashOf for a term of at most eight bytes, given as a number.
func hashShort(term uint64, size int) uint64 {
	return fold(fold(term^secrets[0], secrets[1]), uint64(size)^secrets[2])
}

// fold multiplies, and returns the exclusive or of both halves of the product.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
