package model

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Numbered keeps what was read of terms by numbers that somebody gives them, but no levels,
// for documents that have most of their terms in common.
type Numbered struct {
	// FieldsOf, if not nil, sets Row.Fields.
	FieldsOf func(term []byte) Fields

	rows    []numberedRow
	cells   []numberedCell
	memory  []count.Cell      // of Read
	missing []count.TermCount // memory of Read, and their numbers
	at      []uint32
	near    uint64 // keeps the compiler from leaving out what ReadNumbered touches
}

// numberedRow has the cells from first to end. A term that no class has has none.
type numberedRow struct {
	first, end uint32
	known      bool
	channel    bool
	fields     Fields
}

// numberedCell is a count.Cell without levels.
type numberedCell struct{ tf, w, df, class uint64 }

// Forget forgets all rows.
func (k *Numbered) Forget() { k.rows, k.cells = k.rows[:0], k.cells[:0] }

// Cells is how many cells are kept.
func (k *Numbered) Cells() int { return len(k.cells) }

// DF returns in how many documents the term of a number is, if that was read.
func (k *Numbered) DF(number int) (df uint64, known bool) {
	if number >= len(k.rows) || !k.rows[number].known {
		return 0, false
	}
	for _, cell := range k.of(uint32(number)) {
		df += cell.df
	}
	return df, true
}

func (k *Numbered) of(number uint32) []numberedCell {
	row := &k.rows[number]
	return k.cells[row.first:row.end]
}

// Read reads the rows of terms that are not known. Their numbers are below most.
func (k *Numbered) Read(r Reader, terms []count.TermCount, numbers []uint32, most int) (err error) {
	if len(k.rows) < most {
		from := len(k.rows)
		k.rows = slices.Grow(k.rows, most-from)[:most]
		clear(k.rows[from:])
	}
	k.missing, k.at = k.missing[:0], k.at[:0]
	for i, number := range numbers {
		if row := &k.rows[number]; !row.known {
			term, first := terms[i].Term, uint32(len(k.cells))
			*row = numberedRow{first: first, end: first, known: true, channel: count.OfChannel(term)}
			if k.FieldsOf != nil {
				row.fields = k.FieldsOf(term)
			}
			k.missing, k.at = append(k.missing, terms[i]), append(k.at, number)
		}
	}
	if len(k.missing) == 0 {
		return nil
	}
	k.memory, err = r.AppendRows(k.memory[:0], k.missing, false, func(i int, cells []count.Cell) error {
		row := &k.rows[k.at[i]]
		row.first = uint32(len(k.cells))
		for i := range cells {
			c := &cells[i]
			k.cells = append(k.cells, numberedCell{c.TF, c.W, c.DF, uint64(c.Class)})
		}
		row.end = uint32(len(k.cells))
		return nil
	})
	return err
}

// AppendRow appends the cells of the term of a number, which was read, to dst.
func (k *Numbered) AppendRow(dst []count.Cell, number uint32) []count.Cell {
	for _, cell := range k.of(number) {
		dst = append(dst, count.Cell{Class: int(cell.class), DF: cell.df, TF: cell.tf, W: cell.w})
	}
	return dst
}

// ReadNumbered sets the rows to the rows of e.Terms, which have these numbers and were
// read. Row.Term is not set.
func (e *Evidence) ReadNumbered(k *Numbered, numbers []uint32) {
	e.reset()
	size := 0
	for _, number := range numbers { // to memory for all terms at once, as a store does
		cells := k.of(number)
		if size += len(cells); len(cells) > 0 {
			k.near |= cells[0].w
		}
	}
	e.cells = slices.Grow(e.cells, size)[:size]
	e.Rows = slices.Grow(e.Rows, len(numbers))
	memory := e.cells
	for i, number := range numbers {
		from := k.of(number)
		if len(from) == 0 {
			continue
		}
		to, cells := &e.Rows, memory[:len(from):len(from)]
		memory = memory[len(from):]
		if k.rows[number].channel {
			to = &e.Channel
		} else {
			e.at = append(e.at, i)
		}
		*to = append(*to, Row{})
		row := &(*to)[len(*to)-1] // filled in its place: to copy it would wait for each part
		row.X, row.Cells, row.Fields = int(e.Terms[i].N), cells, k.rows[number].fields
		df, tf, w := uint64(0), uint64(0), uint64(0)
		for j := range cells {
			cell, is := &cells[j], &from[j]
			cell.Class, cell.DF, cell.TF, cell.W = int(is.class), is.df, is.tf, is.w
			if cell.U != nil { // or each cell would cost a write barrier
				cell.U = nil
			}
			df, tf, w = df+is.df, tf+is.tf, w+is.w
		}
		row.DF, row.TF, row.W = df, tf, w
	}
	e.finish()
}
