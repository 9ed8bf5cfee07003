package table

import (
	"encoding/binary"
	"math/bits"
)

// Columns are the cells of a row without their U, a slice a number.
type Columns struct {
	Class, DF, TF, W []uint64
}

// resize makes room for n cells.
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

// manyCells is from how many cells on a row is written as columns, in each of which all
// numbers have one width. They are read several times as fast as numbers that say
// themselves how long they are; a database of 20 Newsgroups is 1 % larger by it.
const manyCells = 4

// The widest number of each column in bytes. A class has fewer than 2^32 documents, each
// with up to 255 occurrences and a weight of up to 2^16.
const (
	maxClassWidth = 4
	maxDFWidth    = 4
	maxMoreWidth  = 5
	maxWWidth     = 6
)

// widths are those of the columns, of a nibble each: of class, DF, TF - DF and W.
type widths uint16

func (w widths) all() (class, df, more, weight int) {
	return int(w & 15), int(w >> 4 & 15), int(w >> 8 & 15), int(w >> 12)
}

// width is how many bytes a number takes.
func width(v uint64) int { return (bits.Len64(v) + 7) / 8 }

// appendColumns appends the cells of a row up to their U. The classes from 0 on without
// a gap have width 0.
func appendColumns(dst []byte, cells []Cell) []byte {
	var class, df, more, weight uint64
	for i := range cells {
		c := &cells[i]
		class, df, more, weight = class|uint64(c.Class), df|c.DF, more|(c.TF-c.DF), weight|c.W
	}
	if cells[len(cells)-1].Class == uint32(len(cells)-1) {
		class = 0
	}
	w := widths(width(class) | width(df)<<4 | width(more)<<8 | width(weight)<<12)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(w))
	for i := range cells {
		dst = appendNumber(dst, uint64(cells[i].Class), width(class))
	}
	for i := range cells {
		dst = appendNumber(dst, cells[i].DF, width(df))
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

// columns reads what appendColumns wrote for n cells. Looking up the terms of a
// document spends much of its time here where there are many classes.
func (d *decoder) columns(c *Columns, n int) {
	rest := d.data[d.at:]
	if len(rest) < 2 {
		d.bad = true
		return
	}
	class, df, more, weight := widths(binary.LittleEndian.Uint16(rest)).all()
	rest = rest[2:]
	each := class + df + more + weight
	if class > maxClassWidth || df > maxDFWidth || more > maxMoreWidth || weight > maxWWidth || df == 0 || n > len(rest)/each {
		d.bad = true
		return
	}
	c.resize(n)
	at := n * class
	classes := numbers(c.Class, rest[:at], class)
	dfs := numbers(c.DF, rest[at:at+n*df], df)
	at += n * df
	mores := numbers(c.TF, rest[at:at+n*more], more)
	at += n * more
	weights := numbers(c.W, rest[at:at+n*weight], weight)
	d.at += 2 + n*each
	d.bad = width(classes) != class || width(dfs) != df || width(mores) != more || width(weights) != weight || !c.settle(class)
}

// settle turns columns as they are read into what they mean, and says whether that can
// be: classes ascend, and no document frequency is 0.
func (c *Columns) settle(classWidth int) bool {
	n := len(c.Class)
	dfs, tfs := c.DF[:n], c.TF[:n]
	zero := uint64(0)
	for i, df := range dfs {
		tfs[i] += df
		zero |= df - 1 // has its highest bit set by a 0 alone
	}
	if classWidth == 0 {
		for i := range c.Class {
			c.Class[i] = uint64(i)
		}
		return zero>>63 == 0
	}
	falls, before := uint64(0), c.Class[0]
	for _, class := range c.Class[1:] {
		falls |= class - before - 1
		before = class
	}
	return (zero|falls)>>63 == 0 && before != uint64(n-1)
}

// numbers reads a column of numbers of a width, and returns the bits that are set in
// any of them.
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

// wideNumber reads a number of as many bytes as there are.
func wideNumber(b []byte) (v uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}
