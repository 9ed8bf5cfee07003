package table

import (
	"encoding/binary"

	"github.com/polya-classifier/polya/store/internal/wire"
)

// Builder makes a table. The zero value is ready for use.
type Builder struct {
	rows   []byte
	places []place
}

type place struct {
	hash   uint64
	offset uint32
}

// Add puts a term, which must not be there already, and its row.
func (b *Builder) Add(hash uint64, term, row []byte) {
	b.places = append(b.places, place{hash, uint32(len(b.rows))})
	b.rows = append(append(b.rows, byte(len(term))), term...)
	b.rows = wire.AppendPrefixed(b.rows, row)
}

// Size returns the number of bytes that Finish would return now.
func (b *Builder) Size() int {
	return headerSize + slotSize*slotsFor(len(b.places)) + len(b.rows)
}

// Reset removes all rows and keeps the memory.
func (b *Builder) Reset() {
	b.rows = b.rows[:0]
	b.places = b.places[:0]
}

// Finish returns the table of all rows added, complete up to log position seq.
// The rows must not exceed MaxRows bytes.
func (b *Builder) Finish(seq uint64) []byte {
	if len(b.rows) > MaxRows {
		panic("table: rows exceed MaxRows")
	}
	nslots := slotsFor(len(b.places))
	data := make([]byte, headerSize+slotSize*nslots+len(b.rows))
	le := binary.LittleEndian
	data[0] = version
	le.PutUint32(data[8:], uint32(len(b.places)))
	le.PutUint32(data[12:], uint32(nslots))
	le.PutUint64(data[16:], seq)
	le.PutUint32(data[24:], uint32(len(b.rows)))
	slots := data[headerSize : headerSize+slotSize*nslots]
	for _, p := range b.places {
		i := int((p.hash & 0xffffffff) * uint64(nslots) >> 32)
		for le.Uint32(slots[slotSize*i:]) != 0 {
			if i++; i == nslots {
				i = 0
			}
		}
		le.PutUint32(slots[slotSize*i:], uint32(byte(p.hash>>32))<<offsetBits|(p.offset+1))
	}
	copy(data[headerSize+slotSize*nslots:], b.rows)
	le.PutUint32(data[4:], wire.Checksum(data[8:]))
	return data
}

// slotsFor keeps one slot in five empty, so that a probe ends soon.
func slotsFor(rows int) int { return rows*5/4 + 1 }
