package table

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store/internal/wire"
)

// ErrCorrupt is returned for bytes that neither a Builder nor AppendRow wrote.
var ErrCorrupt = errors.New("damaged count table")

// Cell holds the counts of one term in one class. DF = U[0] and TF = Σ_j U[j].
type Cell struct {
	Class uint32
	DF    uint64
	TF    uint64
	W     uint64
	// U[j] is the number of documents with more than j occurrences. It never
	// increases with j, and has no zero at its end.
	U []uint32
}

// The kind of a cell, in the low bits of its first number.
const (
	kindOnce   = 0 // DF = TF = 1
	kindLevel  = 1 // DF = TF: no document has the term twice
	kindLevels = 2 // TF > DF
)

// AppendRow appends the row of cells, in ascending order of class and each
// with its U, to dst. Cells without documents must not be among them.
func AppendRow(dst []byte, cells []Cell) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(cells)))
	if len(cells) >= manyCells {
		dst = appendColumns(dst, cells)
	} else {
		dst = appendList(dst, cells)
	}
	for i := range cells {
		// With TF - DF = 1 there is only one U beyond the first, and it is 1.
		if c := &cells[i]; c.TF-c.DF > 1 {
			dst = binary.AppendUvarint(dst, uint64(len(c.U)-1))
			for _, u := range c.U[1 : len(c.U)-1] {
				dst = binary.AppendUvarint(dst, uint64(u))
			}
		}
	}
	return dst
}

// appendList appends the cells of a row up to their U, if they are few.
func appendList(dst []byte, cells []Cell) []byte {
	next := uint32(0)
	for i := range cells {
		c := &cells[i]
		gap := uint64(c.Class-next) << 2
		next = c.Class + 1
		switch {
		case c.TF == 1:
			dst = binary.AppendUvarint(dst, gap|kindOnce)
		case c.TF == c.DF:
			dst = binary.AppendUvarint(dst, gap|kindLevel)
			dst = binary.AppendUvarint(dst, c.DF)
		default:
			dst = binary.AppendUvarint(dst, gap|kindLevels)
			dst = binary.AppendUvarint(dst, c.DF)
			dst = binary.AppendUvarint(dst, c.TF-c.DF)
		}
	}
	for i := range cells {
		dst = binary.AppendUvarint(dst, cells[i].W)
	}
	return dst
}

// AppendEpoch appends the prefix of a row made in an epoch above 0, in which its term was
// first learned, or learned again: a 0, which is not a number of cells, and the epoch.
func AppendEpoch(dst []byte, epoch uint64) []byte {
	if epoch == 0 {
		return dst
	}
	return binary.AppendUvarint(append(dst, 0), epoch)
}

// Epoch returns the epoch in which row was made, and the row as if that were 0.
func Epoch(row []byte) (epoch uint64, rest []byte) {
	d := decoder{wire.Reader{Data: row}}
	epoch = d.epoch()
	if d.Bad {
		return 0, row
	}
	return epoch, row[d.At:]
}

// epoch reads what AppendEpoch wrote, if it is there.
func (d *decoder) epoch() uint64 {
	if d.At >= len(d.Data) || d.Data[d.At] != 0 {
		return 0
	}
	d.At++
	epoch := d.Uvarint()
	d.Bad = d.Bad || epoch == 0
	return epoch
}

type decoder struct{ wire.Reader }

// Row decodes rows into memory that it reuses for the next one.
type Row struct {
	Cells   []Cell
	Epoch   uint64 // in which the row was made
	columns Columns
	levels  []uint32
}

// Decode reads row, with each cell's U if levels is true, into r.Cells, which
// is valid until the next call. Only structure is checked; see Check.
func (r *Row) Decode(row []byte, levels bool) error {
	d := decoder{wire.Reader{Data: row}}
	r.Epoch = d.epoch()
	if d.cells(&r.columns); d.Bad {
		return ErrCorrupt
	}
	c := &r.columns
	r.Cells = slices.Grow(r.Cells[:0], len(c.Class))[:len(c.Class)]
	for i := range r.Cells {
		r.Cells[i] = Cell{Class: uint32(c.Class[i]), DF: c.DF[i], TF: c.TF[i], W: c.W[i]}
	}
	if !levels {
		return nil
	}
	return r.decodeLevels(&d)
}

// DecodeColumns reads the cells of row, none if it is nil, without their U, valid until the
// next call on r.
func (r *Row) DecodeColumns(row []byte) (*Columns, error) {
	if row == nil {
		r.columns.resize(0)
		return &r.columns, nil
	}
	d := decoder{wire.Reader{Data: row}}
	d.epoch()
	if d.cells(&r.columns); d.Bad {
		return nil, ErrCorrupt
	}
	return &r.columns, nil
}

// cells reads the cells up to their U.
func (d *decoder) cells(c *Columns) {
	if d.At < len(d.Data) && d.Data[d.At]-1 < manyCells-1 {
		d.At++
		d.list(c, int(d.Data[d.At-1]))
		return
	}
	n := d.Uvarint()
	if d.Bad || n == 0 || n > uint64(len(d.Data)) {
		d.Bad = true
		return
	}
	d.columns(c, int(n))
}

// list reads what appendList wrote for n cells.
func (d *decoder) list(c *Columns, n int) {
	c.resize(n)
	classes, dfs, tfs := c.Class[:n], c.DF[:n], c.TF[:n]
	row, at, next, odd := d.Data, d.At, uint64(0), false
	for i := range classes {
		var head, df, more uint64
		head, at = wire.Uvarint(row, at)
		class, kind := next+head>>2, head&3
		next = class + 1
		odd = odd || class > math.MaxUint32
		classes[i] = class
		if kind == kindOnce {
			dfs[i], tfs[i] = 1, 1
			continue
		}
		df, at = wire.Uvarint(row, at)
		if kind == kindLevels {
			more, at = wire.Uvarint(row, at)
		}
		dfs[i], tfs[i] = df, df+more
		odd = odd || kind == 3 || kind == kindLevel && df < 2 || kind == kindLevels && (df+more <= df || df == 0)
	}
	for i := range c.W {
		c.W[i], at = wire.Uvarint(row, at)
	}
	d.At, d.Bad = at, odd || at > len(row)
}

func (r *Row) decodeLevels(d *decoder) error {
	r.levels = r.levels[:0]
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.DF > math.MaxUint32 || c.TF < c.DF {
			return ErrCorrupt
		}
		start := len(r.levels)
		r.levels = append(r.levels, uint32(c.DF))
		switch rest := c.TF - c.DF; rest {
		case 0:
		case 1:
			r.levels = append(r.levels, 1)
		default:
			more := d.Uvarint()
			if more == 0 || more > uint64(len(d.Data))+1 {
				return ErrCorrupt
			}
			for range more - 1 {
				u := d.Uvarint()
				if u > rest {
					return ErrCorrupt
				}
				r.levels = append(r.levels, uint32(u))
				rest -= u
			}
			if rest > math.MaxUint32 {
				return ErrCorrupt
			}
			r.levels = append(r.levels, uint32(rest))
		}
		c.U = r.levels[start:len(r.levels):len(r.levels)]
	}
	if d.Bad || d.At != len(d.Data) {
		return ErrCorrupt
	}
	return nil
}

// Check returns ErrCorrupt unless cells, decoded with their levels, are what
// AppendRow writes: in order of class, no cell empty, each U falling and above zero, and W within
// what DF documents can give.
func Check(cells []Cell) error {
	for i := range cells {
		c := &cells[i]
		if i > 0 && c.Class <= cells[i-1].Class || c.DF == 0 || c.TF < c.DF || len(c.U) == 0 || c.W > c.DF<<16 {
			return ErrCorrupt
		}
		sum := uint64(c.U[0])
		for j := 1; j < len(c.U); j++ {
			if c.U[j] == 0 || c.U[j] > c.U[j-1] {
				return ErrCorrupt
			}
			sum += uint64(c.U[j])
		}
		if sum != c.TF || uint64(c.U[0]) != c.DF {
			return ErrCorrupt
		}
	}
	return nil
}
