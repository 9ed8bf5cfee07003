package tokenize

import (
	"bytes"
	"hash/maphash"
	"unicode/utf8"

	"github.com/polya-classifier/polya/internal/bytesort"
)

const (
	// MaxCount is the largest count a term has in one document. Occurrences
	// beyond it are not counted, here, where the Bag is made, so that every
	// event model sees the same document. It fits one byte of a log record, and
	// a word that fills a document says no more at 1,000 than at 255.
	MaxCount = 255

	// MaxTermBytes is the longest term. A longer one is cut at a rune boundary,
	// so that no term can be too long for a key, a row or a line of a dump.
	MaxTermBytes = 128
)

// Bag counts the occurrences of each distinct term of one document. The zero
// value is an empty Bag, ready for use. A Bag is reused by Reset, and then
// allocates nothing for a document no larger than those before it. It is not
// safe for concurrent use.
type Bag struct {
	arena   []byte  // the terms, one behind the other
	terms   []entry // in order of first occurrence, until Sort
	slots   []int32 // open addressing: index into terms plus one, 0 is empty
	tokens  int
	channel int  // terms of channels
	moved   bool // terms are not where slots say: Sort has moved them
	unusual bool // moved, or recorded
	sorter  bytesort.Sorter[entry]
	trace   *Trace // where occurrences are recorded; nil is nowhere
}

type entry struct {
	hash   uint64
	offset uint32
	length uint8
	count  uint8
}

// seed makes the places of terms in a Bag unknown to whoever writes the
// document. It decides nothing that can be seen.
var seed = maphash.MakeSeed()

// Add counts one occurrence of term. The bytes are copied. The empty term is
// not counted. A term whose first byte is 1 is of a channel, which is counted apart
// (count.OfChannel); any other first byte makes it a term like those of a text.
func (b *Bag) Add(term []byte) { b.AddN(term, 1) }

// AddN counts n occurrences of term, n ≥ 0, of which at most MaxCount in all
// are kept.
func (b *Bag) AddN(term []byte, n int) {
	if len(term) == 0 || n <= 0 {
		return
	}
	if len(term) > MaxTermBytes {
		term = cut(term, MaxTermBytes)
	}
	if len(b.slots) < 2*(len(b.terms)+1) {
		b.grow()
	}
	if b.unusual {
		if b.moved {
			b.rehash(len(b.slots))
		}
		if b.trace != nil {
			b.record(term, n)
			return
		}
	}
	hash := maphash.Bytes(seed, term)
	mask := uint64(len(b.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		at := b.slots[i]
		if at == 0 {
			b.slots[i] = int32(len(b.terms) + 1)
			b.terms = append(b.terms, entry{hash: hash, offset: uint32(len(b.arena)), length: uint8(len(term))})
			b.arena = append(b.arena, term...)
			at = int32(len(b.terms))
		}
		e := &b.terms[at-1]
		if e.hash != hash || !bytes.Equal(b.term(e), term) {
			continue
		}
		n = min(n, MaxCount-int(e.count))
		e.count += uint8(n)
		b.tokens += n
		return
	}
}

// addOnce counts a term once, however often it is added.
func (b *Bag) addOnce(term []byte) {
	if b.count(term) == 0 {
		b.Add(term)
	}
}

// addChannel counts a term of a channel once, and returns false if there is no room for it.
func (b *Bag) addChannel(term []byte) bool {
	if len(term) > MaxTermBytes {
		term = cut(term, MaxTermBytes)
	}
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

// Cut reports whether a text counted was longer than its limit, so that only its
// beginning and its end were: whether the term "limit:text" is in the bag.
func (b *Bag) Cut() bool { return b.count([]byte(limitText)) > 0 }

// count is how often a term was counted, 0 if it was not.
func (b *Bag) count(term []byte) int {
	if len(b.terms) == 0 {
		return 0
	}
	if b.moved {
		b.rehash(len(b.slots))
	}
	hash := maphash.Bytes(seed, term)
	mask := uint64(len(b.slots) - 1)
	for i := hash & mask; b.slots[i] != 0; i = (i + 1) & mask {
		if e := &b.terms[b.slots[i]-1]; e.hash == hash && bytes.Equal(b.term(e), term) {
			return int(e.count)
		}
	}
	return 0
}

// Len is the number of distinct terms.
func (b *Bag) Len() int { return len(b.terms) }

// Tokens is the number of occurrences counted, the sum of the counts of all
// terms.
func (b *Bag) Tokens() int { return b.tokens }

// At returns term i, 0 ≤ i < Len, and its count, 1 to MaxCount. Terms come in
// order of first occurrence, or in byte order after Sort. The bytes are valid
// until the next Reset and must not be changed.
func (b *Bag) At(i int) (term []byte, count int) {
	e := &b.terms[i]
	return b.term(e), int(e.count)
}

// Hash returns a hash of term i, 0 ≤ i < Len: the same for equal terms in all Bags of this
// process, another in each process, and one that nobody outside of it can foresee.
func (b *Bag) Hash(i int) uint64 { return b.terms[i].hash }

// Sort orders the terms by their bytes. Terms added later are counted as
// before, and new ones come behind, unsorted.
func (b *Bag) Sort() {
	b.sorter.Sort(b.terms, b.term)
	b.moved, b.unusual = true, true
}

// Reset empties the Bag and keeps its memory.
func (b *Bag) Reset() {
	b.clearSlots()
	b.arena = b.arena[:0]
	b.terms = b.terms[:0]
	b.tokens = 0
	b.channel = 0
	b.moved, b.unusual = false, b.trace != nil
}

// clearSlots empties the slots. After a large document there are many, and a
// small one behind it must not pay for all of them.
func (b *Bag) clearSlots() {
	if 16*len(b.terms) > len(b.slots) {
		clear(b.slots)
		return
	}
	mask := uint64(len(b.slots) - 1)
	for k := range b.terms {
		// To the end of the cluster: what lies there is in use by a term
		// that is to go as well.
		for i := b.terms[k].hash & mask; b.slots[i] != 0; i = (i + 1) & mask {
			b.slots[i] = 0
		}
	}
}

func (b *Bag) term(e *entry) []byte {
	return b.arena[e.offset : e.offset+uint32(e.length) : e.offset+uint32(e.length)]
}

func (b *Bag) grow() { b.rehash(max(256, 2*len(b.slots))) }

// rehash places all terms anew among n slots, a power of two.
func (b *Bag) rehash(n int) {
	b.moved, b.unusual = false, b.trace != nil
	if n == 0 {
		return
	}
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

// cut shortens s, which is longer than n bytes, to n, or to less where a rune
// would be split.
func cut(s []byte, n int) []byte {
	for k := n; k > 0 && k > n-utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			return s[:k]
		}
	}
	return s[:n] // not UTF-8
}
