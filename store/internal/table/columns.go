package table

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Columns are the cells of a row without their U, one slice per number.
type Columns struct {
	Class, DF, TF, W []uint64
}

func (c *Columns) resize(n int) {
	if n > cap(c.W) {
		c.grow(n)
	}
	c.Class, c.DF, c.TF, c.W = c.Class[:n], c.DF[:n], c.TF[:n], c.W[:n]
}

func (c *Columns) grow(n int) {
	size := max(n, 2*cap(c.W))
	all := make([]uint64, 4*size)
	c.Class, c.DF, c.TF, c.W = all[:size:size], all[size:2*size:2*size], all[2*size:3*size:3*size], all[3*size:]
}

// Add changes the counts of a class, and returns false if one falls below zero. The cell
// of a class is made if it is missing, and removed with its last document.
func (c *Columns) Add(class uint32, df, tf, w int64) bool {
	i, n := 0, len(c.Class)
	for n > i && c.Class[i] < uint64(class) {
		i++
	}
	columns := [...]*[]uint64{&c.Class, &c.DF, &c.TF, &c.W}
	if i == n || c.Class[i] != uint64(class) {
		for _, column := range columns {
			*column = slices.Insert(*column, i, 0)
		}
		c.Class[i] = uint64(class)
	}
	newDF, newTF, newW := c.DF[i]+uint64(df), c.TF[i]+uint64(tf), c.W[i]+uint64(w)
	c.DF[i], c.TF[i], c.W[i] = newDF, newTF, newW
	if newDF > 0 {
		return int64(newDF|newTF|newW) >= 0
	}
	for _, column := range columns {
		*column = slices.Delete(*column, i, i+1)
	}
	return newTF|newW == 0
}

// manyCells is the number of cells from which on a row is written as columns, in each of
// which all numbers have one width. They are read several times as fast as varints. This
// makes a database larger by 1 % (20 Newsgroups) to 7 or 12 % (20 and 100 classes that
// have most terms in common).
const manyCells = 4

// The widest number of each column in bytes. A class has fewer than 2^32 documents, each
// with up to 255 occurrences and a weight of up to 2^16.
const (
	maxClassWidth = 4
	maxDFWidth    = 4
	maxMoreWidth  = 5
	maxWWidth     = 6
)

// widths holds the widths of the columns, a nibble each: class, DF - 1, TF - DF and W. The
// width of W is never 0, so that a row has at least a byte per cell.
type widths uint16

// run, in the nibble of the classes, means that they are consecutive: then only the first
// is written.
const run = 8

func (w widths) all() (class, df, more, weight int) {
	return int(w & 15), int(w >> 4 & 15), int(w >> 8 & 15), int(w >> 12)
}

func width(v uint64) int { return (bits.Len64(v) + 7) / 8 }

// appendColumns appends the cells of a row up to their U.
func appendColumns(dst []byte, cells []Cell) []byte {
	var class, df, more, weight uint64
	for i := range cells {
		c := &cells[i]
		class, df, more, weight = class|uint64(c.Class), df|(c.DF-1), more|(c.TF-c.DF), weight|c.W
	}
	weight |= 1
	ids, form := cells, width(class)
	if first := cells[0].Class; cells[len(cells)-1].Class-first == uint32(len(cells)-1) {
		ids, class = cells[:1], uint64(first)
		form = run | width(class)
	}
	w := widths(form | width(df)<<4 | width(more)<<8 | width(weight)<<12)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(w))
	for i := range ids {
		dst = appendNumber(dst, uint64(ids[i].Class), width(class))
	}
	for i := range cells {
		dst = appendNumber(dst, cells[i].DF-1, width(df))
	}
	for i := range cells {
		dst = appendNumber(dst, cells[i].TF-cells[i].DF, width(more))
	}
	for i := range cells {
		dst = appendNumber(dst, cells[i].W, width(weight))
	}
	return dst
}

func appendNumber(dst []byte, v uint64, width int) []byte {
	return binary.LittleEndian.AppendUint64(dst, v)[:len(dst)+width]
}

// columns reads what appendColumns wrote for n cells. With many classes, looking up the
// terms of a document spends much of its time here.
func (d *decoder) columns(c *Columns, n int) {
	rest := d.Data[d.At:]
	if len(rest) < 2 {
		d.Bad = true
		return
	}
	class, df, more, weight := widths(binary.LittleEndian.Uint16(rest)).all()
	rest = rest[2:]
	ids := n
	if class&run != 0 {
		ids, class = 1, class&^run
	}
	each := df + more + weight
	if class > maxClassWidth || df > maxDFWidth || more > maxMoreWidth || weight > maxWWidth || weight == 0 ||
		ids*class > len(rest) || n > (len(rest)-ids*class)/each {
		d.Bad = true
		return
	}
	c.resize(n)
	at := ids * class
	d.Bad = width(numbers(c.Class[:ids], rest[:at], class)) != class
	rest = rest[at:]
	dfs := numbers(c.DF, rest[:n*df], df)
	mores := numbers(c.TF, rest[n*df:n*(df+more)], more)
	weights := numbers(c.W, rest[n*(df+more):n*each], weight)
	d.At += 2 + at + n*each
	d.Bad = d.Bad || width(dfs) != df || width(mores) != more || width(weights|1) != weight || !c.settle(ids)
}

// settle turns the columns as read into their values, and reports whether these are valid:
// classes ascend, with a gap if all are given.
func (c *Columns) settle(ids int) bool {
	n := len(c.Class)
	dfs, tfs := c.DF[:n], c.TF[:n]
	for i := range dfs {
		dfs[i]++
		tfs[i] += dfs[i]
	}
	first := c.Class[0]
	if ids == 1 {
		for i := range c.Class {
			c.Class[i] = first + uint64(i)
		}
		return c.Class[n-1] <= math.MaxUint32
	}
	falls, before := uint64(0), first // its highest bit is set where classes do not ascend
	for _, class := range c.Class[1:] {
		falls |= class - before - 1
		before = class
	}
	return falls>>63 == 0 && before-first != uint64(n-1)
}

// numbers reads a column of numbers of one width, and returns the bits set in any of them.
func numbers(into []uint64, column []byte, width int) uint64 {
	all := uint64(0)
	switch width {
	case 0:
		clear(into)
	case 1:
		for i, b := range column[:len(into)] {
			into[i] = uint64(b)
			all |= uint64(b)
		}
	case 2:
		for i := range into {
			v := uint64(binary.LittleEndian.Uint16(column[2*i:]))
			into[i] = v
			all |= v
		}
	case 3:
		last := len(into) - 1
		for i := range into[:last] {
			v := uint64(binary.LittleEndian.Uint32(column[3*i:])) & 0xffffff
			into[i] = v
			all |= v
		}
		into[last] = wideNumber(column[3*last:])
		all |= into[last]
	default:
		for i := range into {
			into[i] = wideNumber(column[i*width : (i+1)*width])
			all |= into[i]
		}
	}
	return all
}

// wideNumber reads a number of len(b) bytes.
func wideNumber(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}
