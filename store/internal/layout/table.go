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

// RewriteTable replaces table i by those that Rewritten returns.
func RewriteTable(tx Tx, key *table.Key, dir *Directory, i int, changed []rows.Row, seq uint64, target int) error {
	list, err := dir.Rewritten(key, i, changed, seq, target)
	if err != nil {
		return err
	}
	return tx.PutTables(list)
}

// Made is a table to be put: its highest hash and its bytes.
type Made struct {
	bound uint64
	data  []byte
}

// PutTables replaces the tables of the same hashes by new ones.
func (tx Tx) PutTables(list []Made) (err error) {
	for i := range list {
		err = cmp.Or(err, tx.putTable(list[i].bound, list[i].data))
	}
	return err
}

// Rewritten returns table i with changed replacing the rows of the same terms, complete
// up to seq, or split into several if it has grown to twice the target. The rows may be
// in any order.
func (dir *Directory) Rewritten(key *table.Key, i int, changed []rows.Row, seq uint64, target int) ([]Made, error) {
	old := dir.Tables[i]
	if !old.Sound() {
		return nil, &fault.Error{What: TableName(dir.Bounds[i]), Err: table.ErrCorrupt}
	}
	var replaced Places
	size := dir.Sizes[i]
	for _, r := range changed {
		row, place, err := old.Locate(r.Hash, r.Term)
		if err != nil {
			return nil, &fault.Error{What: TableName(dir.Bounds[i]), Err: err}
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
	var err error
	if size >= 2*target {
		err = old.All(func(place uint32, term, row []byte) bool {
			if !replaced.Pass(place) {
				changed = append(changed, rows.Row{Hash: key.Hash(term), Term: term, Data: row})
			}
			return true
		})
		if err == nil {
			changed = byHash(changed)
			return splitTable(b, dir.Bounds[i], changed, seq, target), nil
		}
	} else if err = b.AddTable(old, key, replaced); err == nil {
		// Their order has no visible effect, but equal training should give equal
		// bytes.
		for _, r := range byHash(changed) {
			b.Add(r.Hash, r.Term, r.Data)
		}
		return []Made{{dir.Bounds[i], b.Finish(seq)}}, nil
	}
	return nil, &fault.Error{What: TableName(dir.Bounds[i]), Err: err}
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

// splitTable makes tables of about the target size from rows, in order of hash; the last
// table has the given bound.
func splitTable(b *table.Builder, bound uint64, rows []rows.Row, seq uint64, target int) (list []Made) {
	for i, r := range rows {
		b.Add(r.Hash, r.Term, r.Data)
		// Terms of one hash stay in one table. A single row is small beside
		// the target, so that no table outgrows its offsets.
		if b.Size() >= target && i+1 < len(rows) && rows[i+1].Hash != r.Hash && r.Hash < bound {
			list = append(list, Made{r.Hash, b.Finish(seq)})
			b.Reset()
		}
	}
	return append(list, Made{bound, b.Finish(seq)})
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
