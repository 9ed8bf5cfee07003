package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polya-classifier/polya/store/internal/table"
)

// directory lists the count tables of one transaction in order of hash. The
// tables lie in the mapping: it is valid only while the transaction is.
type directory struct {
	bounds []uint64 // the highest hash of each table
	tables []table.Table
	sizes  []int
	bytes  int         // of all tables
	first  [256]uint32 // by the high byte of a hash: the first table that may have it
}

func (d *directory) load(tx Tx) error {
	d.bounds, d.tables, d.sizes, d.bytes = d.bounds[:0], d.tables[:0], d.sizes[:0], 0
	c := tx.Bucket(bucketTable).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) != 8 {
			continue // a pad key
		}
		if n := len(d.bounds); n > 0 && binary.BigEndian.Uint64(k) <= d.bounds[n-1] {
			return &CorruptError{What: "list of count tables"} // or it may have no end
		}
		t, err := table.Open(v)
		if err != nil {
			return &CorruptError{What: tableName(binary.BigEndian.Uint64(k)), Err: err}
		}
		d.bounds = append(d.bounds, binary.BigEndian.Uint64(k))
		d.tables = append(d.tables, t)
		d.sizes = append(d.sizes, len(v))
		d.bytes += len(v)
	}
	if n := len(d.bounds); n == 0 || d.bounds[n-1] != math.MaxUint64 {
		return &CorruptError{What: "list of count tables"}
	}
	i := uint32(0)
	for b := range d.first {
		for d.bounds[i] < uint64(b)<<56 {
			i++
		}
		d.first[b] = i
	}
	return nil
}

// at returns the index of the table where hash belongs.
func (d *directory) at(hash uint64) int {
	i := d.first[hash>>56]
	for hash > d.bounds[i] {
		i++
	}
	return int(i)
}

// low is the bound below table i, 0 for the first.
func (d *directory) low(i int) uint64 {
	if i == 0 {
		return 0
	}
	return d.bounds[i-1]
}

// find returns the row of term in the tables, or nil.
func (d *directory) find(hash uint64, term []byte) ([]byte, error) {
	i := d.at(hash)
	return d.findFrom(i, d.tables[i].Probe(hash), hash, term)
}

// findFrom is find in table i, from the slot where the search begins.
func (d *directory) findFrom(i int, slot uint32, hash uint64, term []byte) ([]byte, error) {
	row, _, err := d.tables[i].LocateFrom(slot, hash, term)
	if err != nil {
		return nil, &CorruptError{What: tableName(d.bounds[i]), Err: err}
	}
	return row, nil
}

func tableName(bound uint64) string { return fmt.Sprintf("count table %016x", bound) }
