// Package table holds the count table of polya: an immutable hash table from a
// term to its row, the counts of that term in each class that has it.
//
// A table is just a slice of bytes. It is built at once by a Builder, read in place by
// Table, and never changed. The package knows no database, no transaction and no class
// name; store keeps each table as one value of its file and reads it straight from the
// mapping. The bytes are described in store/FORMAT.md.
//
// Reading never trusts the bytes: a damaged table gives ErrCorrupt or a wrong
// answer that Check finds, never a panic.
package table

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/polya-classifier/polya/store/internal/wire"
)

const (
	version    = 2
	headerSize = 32
	slotSize   = 4

	// A slot is a tag of 8 bits above the row's offset plus one.
	offsetBits = 24
	offsetMask = 1<<offsetBits - 1

	// MaxRows is how many bytes of rows a table can address.
	MaxRows = offsetMask - 1
)

// Table reads a count table in place. The slice that it was opened on must
// stay valid and unchanged while the Table and what it returned are in use.
type Table struct {
	slots []byte
	rows  []byte
	Len   int    // the number of rows
	Seq   uint64 // the position of the log up to which the table holds every document
	data  []byte
}

// Open reads the header of data, but neither rows nor checksum: see Verify.
func Open(data []byte) (Table, error) {
	if len(data) < headerSize || data[0] != version || data[1]|data[2]|data[3] != 0 {
		return Table{}, ErrCorrupt
	}
	le := binary.LittleEndian
	nslots := uint64(le.Uint32(data[12:]))
	rows := uint64(le.Uint32(data[24:]))
	if headerSize+nslots*slotSize+rows != uint64(len(data)) || nslots == 0 || rows > MaxRows {
		return Table{}, ErrCorrupt
	}
	split := headerSize + nslots*slotSize
	return Table{
		slots: data[headerSize:split],
		rows:  data[split:],
		Len:   int(le.Uint32(data[8:])),
		Seq:   le.Uint64(data[16:]),
		data:  data,
	}, nil
}

// Sound reports whether the checksum is correct. Call it before making a table from
// another, or the new checksum hides the damage.
func (t Table) Sound() bool {
	return binary.LittleEndian.Uint32(t.data[4:]) == wire.Checksum(t.data[8:])
}

// Locate returns the row of term, whose hash is given, and its place among the
// rows, or nil. All gives rows in order of place.
func (t Table) Locate(hash uint64, term []byte) ([]byte, uint32, error) {
	return t.LocateFrom(t.Home(hash), hash, term)
}

// Home returns the slot where the search for a hash begins.
func (t Table) Home(hash uint64) uint32 {
	return uint32((hash & 0xffffffff) * uint64(len(t.slots)/slotSize) >> 32)
}

// ProbeFrom returns the slot where the search for a hash, from its Home, first meets its tag or
// an empty slot, for LocateFrom. Probing for many terms before locating any lets their cache
// misses overlap.
func (t Table) ProbeFrom(i uint32, hash uint64) uint32 {
	nslots := uint32(len(t.slots) / slotSize)
	tag := uint32(byte(hash >> 32))
	for range nslots {
		slot := binary.LittleEndian.Uint32(t.slots[uint64(i)*slotSize:])
		if slot == 0 || slot>>offsetBits == tag {
			break
		}
		if i++; i == nslots {
			i = 0
		}
	}
	return i
}

// SlotAt returns the address of a slot. Reading that byte prefetches the slot.
func (t Table) SlotAt(slot uint32) *byte { return &t.slots[uint64(slot)*slotSize] }

// RowAt returns the addresses of the row that a slot refers to and of the next cache line, as
// rows of many classes are longer than one; or of the slot itself if it is empty or damaged. Reading
// these bytes for many terms in a row, after ProbeFrom, prefetches their rows before they are compared.
func (t Table) RowAt(slot uint32) (first, next *byte) {
	at := uint64(slot) * slotSize
	place := uint64(binary.LittleEndian.Uint32(t.slots[at:])&offsetMask) - 1
	if place >= uint64(len(t.rows)) {
		return &t.slots[at], &t.slots[at]
	}
	return &t.rows[place], &t.rows[min(place+64, uint64(len(t.rows))-1)]
}

// LocateFrom is Locate, from the Home of the hash or the slot that ProbeFrom has returned.
func (t Table) LocateFrom(start uint32, hash uint64, term []byte) ([]byte, uint32, error) {
	nslots := uint32(len(t.slots) / slotSize)
	tag := uint32(byte(hash >> 32))
	for i := start; ; {
		slot := binary.LittleEndian.Uint32(t.slots[i*slotSize:])
		if slot == 0 {
			return nil, 0, nil
		}
		if slot>>offsetBits == tag {
			place := slot&offsetMask - 1
			found, row, _, err := t.at(place)
			if err != nil {
				return nil, 0, err
			}
			if bytes.Equal(found, term) {
				return row, place, nil
			}
		}
		if i++; i == nslots {
			i = 0
		}
		if i == start {
			return nil, 0, nil // no slot is empty: the table is damaged, but the term is not there
		}
	}
}

// at reads the entry at offset: the term, its row, and the offset of the next.
func (t Table) at(offset uint32) (term, row []byte, next uint32, err error) {
	at := uint64(offset)
	size := uint64(len(t.rows))
	if at >= size {
		return nil, nil, 0, ErrCorrupt
	}
	n := uint64(t.rows[at])
	at++
	if n == 0 || at+n >= size {
		return nil, nil, 0, ErrCorrupt
	}
	term = t.rows[at : at+n : at+n]
	at += n
	length, width := uint64(t.rows[at]), 1
	if length >= 0x80 {
		if length, width = binary.Uvarint(t.rows[at:]); width <= 0 {
			return nil, nil, 0, ErrCorrupt
		}
	}
	at += uint64(width)
	if length > size-at {
		return nil, nil, 0, ErrCorrupt
	}
	end := at + length
	return term, t.rows[at:end:end], uint32(end), nil
}

// All calls yield with each term and its row, in order of place, until it returns false.
func (t Table) All(yield func(place uint32, term, row []byte) bool) error {
	for offset := uint32(0); offset < uint32(len(t.rows)); {
		term, row, next, err := t.at(offset)
		if err != nil || !yield(offset, term, row) {
			return err
		}
		offset = next
	}
	return nil
}

// Verify checks that data is a table that a Builder made with key for the hashes above
// low and up to high: its checksum, that every row decodes and keeps its invariants, and
// that each can be found.
func Verify(data []byte, key *Key, low, high uint64) error {
	t, err := Open(data)
	if err != nil {
		return err
	}
	if !t.Sound() {
		return ErrCorrupt
	}
	var r Row
	n := 0
	bad := false
	err = t.All(func(place uint32, term, row []byte) bool {
		n++
		hash := key.Hash(term)
		found, at, err := t.Locate(hash, term)
		bad = err != nil || found == nil || at != place || hash > high || (low != 0 && hash <= low) ||
			r.Decode(row, true) != nil || Check(r.Cells) != nil
		return !bad
	})
	if err != nil || bad || n != t.Len {
		return ErrCorrupt
	}
	return nil
}

// Key is the secret of the hash function, drawn at random for each file, so that nobody
// can choose terms with colliding hashes.
type Key [16]byte

// Hash returns SipHash-1-3 of term under key (Aumasson and Bernstein 2012,
// with one round per word and three at the end): its high bits choose the
// table, its low 32 bits the slot, and the byte above those the tag.
func (key *Key) Hash(term []byte) uint64 {
	v0, v1, v2, v3 := sipStart(binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:]))
	n := len(term)
	for len(term) >= 8 {
		m := binary.LittleEndian.Uint64(term)
		v3 ^= m
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0 ^= m
		term = term[8:]
	}
	last := uint64(n) << 56
	for i, b := range term {
		last |= uint64(b) << (8 * i)
	}
	v3 ^= last
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0 ^= last
	v2 ^= 0xff
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	return v0 ^ v1 ^ v2 ^ v3
}

func sipStart(k0, k1 uint64) (v0, v1, v2, v3 uint64) {
	return k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}
