package layout

import (
	"bytes"
	"cmp"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/rows"
	"github.com/polya-classifier/polya/store/internal/table"
)

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

// byHash returns the rows in order of hash.
func byHash(list []rows.Row) []rows.Row {
	sorted := make([]rows.Row, len(list))
	for to, from := range rows.ByHash(len(list), func(i int) uint64 { return list[i].Hash }, func(i, k int32) int {
		a, b := &list[i], &list[k]
		return cmp.Or(cmp.Compare(a.Hash, b.Hash), bytes.Compare(a.Term, b.Term))
	}) {
		sorted[to] = list[from]
	}
	return sorted
}
