package layout

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	bolt "go.etcd.io/bbolt"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/stored"
	"github.com/polya-classifier/polya/store/internal/table"
)

// Directory lists the count tables of one transaction in order of hash. The
// tables lie in the mapping: it is valid only while the transaction is.
type Directory struct {
	Bounds []uint64 // the highest hash of each table
	Tables []table.Table
	Sizes  []int
	Bytes  int         // of all tables
	first  [256]uint32 // by the high byte of a hash: the first table that may have it
	read   reading
}

// reading identifies the data of a read transaction, by its number and the address of the
// mapping.
type reading struct {
	file   *bolt.DB
	tx     int
	mapped uintptr
}

// Load reads the list of tables, unless d has it already from the same data.
func (d *Directory) Load(tx Tx) error {
	var now reading
	if !tx.Writable() {
		now = reading{tx.DB(), tx.ID(), tx.DB().Info().Data}
		if d.read == now {
			return nil
		}
	}
	d.read = reading{}
	d.Bounds, d.Tables, d.Sizes, d.Bytes = d.Bounds[:0], d.Tables[:0], d.Sizes[:0], 0
	c := tx.Bucket(stored.BucketTable).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) != 8 {
			continue // a pad key
		}
		if n := len(d.Bounds); n > 0 && binary.BigEndian.Uint64(k) <= d.Bounds[n-1] {
			return &fault.Error{What: "list of count tables"} // or it may have no end
		}
		t, err := table.Open(v)
		if err != nil {
			return &fault.Error{What: TableName(binary.BigEndian.Uint64(k)), Err: err}
		}
		d.Bounds = append(d.Bounds, binary.BigEndian.Uint64(k))
		d.Tables = append(d.Tables, t)
		d.Sizes = append(d.Sizes, len(v))
		d.Bytes += len(v)
	}
	if n := len(d.Bounds); n == 0 || d.Bounds[n-1] != math.MaxUint64 {
		return &fault.Error{What: "list of count tables"}
	}
	i := uint32(0)
	for b := range d.first {
		for d.Bounds[i] < uint64(b)<<56 {
			i++
		}
		d.first[b] = i
	}
	d.read = now
	return nil
}

// At returns the index of the table where hash belongs.
func (d *Directory) At(hash uint64) int {
	i := d.first[hash>>56]
	for hash > d.Bounds[i] {
		i++
	}
	return int(i)
}

// Position returns the position up to which the table of a hash holds every record.
func (d *Directory) Position(hash uint64) uint64 { return d.Tables[d.At(hash)].Seq }

// Changed returns the rows of table i with the changes of o by records up to seq, as f makes them,
// and the places of those that the table has, in order. The lock of o is not held meanwhile.
func (d *Directory) Changed(i int, o *rows.Overlay, seq uint64, f *rows.Folder) (list []rows.Row, had Places, err error) {
	changed := o.Between(d.Low(i), d.Bounds[i], d.Tables[i].Seq, seq)
	list = make([]rows.Row, 0, len(changed))
	for _, c := range changed {
		row, place, err := d.Tables[i].Locate(c.Hash, c.Term)
		if err != nil {
			return nil, nil, &fault.Error{What: TableName(d.Bounds[i]), Err: err}
		}
		if row != nil {
			had = append(had, place)
		}
		if row, err = f.Apply(row, c.Changes, nil); err != nil {
			return nil, nil, DamagedRow(c.Term, err)
		}
		list = append(list, rows.Row{Hash: c.Hash, Term: c.Term, Data: row})
	}
	slices.Sort(had)
	return list, had, nil
}

// Low returns the bound below table i, 0 for the first.
func (d *Directory) Low(i int) uint64 {
	if i == 0 {
		return 0
	}
	return d.Bounds[i-1]
}

// TableName names, in a message, the table of the hashes up to bound.
func TableName(bound uint64) string { return fmt.Sprintf("count table %016x", bound) }

// RewriteTable replaces table i by one with changed replacing the rows of the same terms,
// complete up to seq, or by several if it has grown to twice the target. The rows may be in any
// order.
func (tx Tx) RewriteTable(key *table.Key, dir *Directory, i int, changed []rows.Row, seq uint64, target int) error {
	old := dir.Tables[i]
	if !old.Sound() {
		return &fault.Error{What: TableName(dir.Bounds[i]), Err: table.ErrCorrupt}
	}
	var replaced Places
	size := dir.Sizes[i]
	for _, r := range changed {
		row, place, err := old.Locate(r.Hash, r.Term)
		if err != nil {
			return &fault.Error{What: TableName(dir.Bounds[i]), Err: err}
		}
		if row != nil {
			replaced = append(replaced, place)
		}
		size += len(r.Term) + len(r.Data) - len(row) + 8
	}
	changed = slices.DeleteFunc(changed, func(r rows.Row) bool { return r.Data == nil })
	slices.Sort(replaced)
	b := builders.Get().(*table.Builder)
	defer builders.Put(b)
	b.Reset()
	split := size >= 2*target
	if split {
		changed = slices.Grow(changed, old.Len)
	}
	err := old.All(func(place uint32, term, row []byte) bool {
		switch hash := key.Hash(term); {
		case replaced.Pass(place):
		case split:
			changed = append(changed, rows.Row{Hash: hash, Term: term, Data: row})
		default:
			b.Add(hash, term, row)
		}
		return true
	})
	if err != nil {
		return &fault.Error{What: TableName(dir.Bounds[i]), Err: err}
	}
	// The order of rows has no visible effect, but equal training should give equal bytes.
	changed = byHash(changed)
	if split {
		return tx.putSplit(b, dir.Bounds[i], changed, seq, target)
	}
	for _, r := range changed {
		b.Add(r.Hash, r.Term, r.Data)
	}
	return tx.putTable(dir.Bounds[i], b.Finish(seq))
}

// builders are reused: a round of merging makes a table in nearly every training.
var builders = sync.Pool{New: func() any { return new(table.Builder) }}

// Places are the places of rows in a table, in ascending order.
type Places []uint32

// Pass returns whether place is in p, if called for each place of a table in order; it
// drops the places passed.
func (p *Places) Pass(place uint32) bool {
	if len(*p) == 0 || (*p)[0] != place {
		return false
	}
	*p = (*p)[1:]
	return true
}

// putSplit writes tables of about the target size with rows, in order of hash; the last table
// has the given bound.
func (tx Tx) putSplit(b *table.Builder, bound uint64, rows []rows.Row, seq uint64, target int) error {
	for i, r := range rows {
		b.Add(r.Hash, r.Term, r.Data)
		// Terms of one hash stay in one table. A single row is small beside
		// the target, so that no table outgrows its offsets.
		if b.Size() >= target && i+1 < len(rows) && rows[i+1].Hash != r.Hash && r.Hash < bound {
			if err := tx.putTable(r.Hash, b.Finish(seq)); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return tx.putTable(bound, b.Finish(seq))
}

func byHash(list []rows.Row) []rows.Row {
	compare := func(a, b rows.Row) int {
		if a.Hash != b.Hash { // or each term would be read
			return cmp.Compare(a.Hash, b.Hash)
		}
		return bytes.Compare(a.Term, b.Term)
	}
	if slices.IsSortedFunc(list, compare) {
		return list
	}
	sorted := make([]rows.Row, len(list))
	for to, from := range rows.ByHash(len(list), func(i int) uint64 { return list[i].Hash }, func(i, k int32) int { return compare(list[i], list[k]) }) {
		sorted[to] = list[from]
	}
	return sorted
}
