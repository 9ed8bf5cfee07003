// Package crc32c computes CRC-32C as hash/crc32 does, but at first without the tables
// that hash/crc32 makes at its first call: they take 0.15 ms, which is much for a process
// that reads one message and some kilobytes, and pay only in one that reads more.
package crc32c

import (
	"encoding/binary"
	"hash/crc32"
	"sync"
	"sync/atomic"
)

// few is the number of bytes that take about as long without hash/crc32 as making its
// tables; fewByInstruction is the same with the processor's instruction.
const (
	few              = 256 << 10
	fewByInstruction = 2 << 20
)

var (
	seen   atomic.Int64                // bytes, until there are more than few
	many   atomic.Pointer[crc32.Table] // that of hash/crc32, then
	once   sync.Once
	start  func(sum uint32, data []byte) uint32 // for the first bytes
	enough int64                                // of them
	slices [8][256]uint32                       // slices[k][b] is the remainder of b followed by k zero bytes
)

// Checksum returns the CRC-32C of data.
func Checksum(data []byte) uint32 { return Update(0, data) }

// Update returns the CRC-32C of the data with checksum sum followed by data.
func Update(sum uint32, data []byte) uint32 {
	if table := many.Load(); table != nil {
		return crc32.Update(sum, table, data)
	}
	once.Do(prepare)
	if seen.Add(int64(len(data))) > enough {
		table := crc32.MakeTable(crc32.Castagnoli)
		many.Store(table)
		return crc32.Update(sum, table, data)
	}
	return start(sum, data)
}

// prepare chooses the function for the first bytes.
func prepare() {
	if hasInstruction() {
		start, enough = instruction, fewByInstruction
		return
	}
	fill()
	start, enough = update, few
}

func fill() {
	for b := range 256 {
		r := uint32(b)
		for range 8 {
			r = r>>1 ^ crc32.Castagnoli&-(r&1)
		}
		slices[0][b] = r
	}
	for k := 1; k < len(slices); k++ {
		for b, r := range slices[k-1] {
			slices[k][b] = r>>8 ^ slices[0][byte(r)]
		}
	}
}

// update takes eight bytes at a time (slicing by 8).
func update(sum uint32, data []byte) uint32 {
	sum = ^sum
	for ; len(data) >= 8; data = data[8:] {
		x := binary.LittleEndian.Uint64(data) ^ uint64(sum)
		sum = slices[7][byte(x)] ^ slices[6][byte(x>>8)] ^ slices[5][byte(x>>16)] ^ slices[4][byte(x>>24)] ^
			slices[3][byte(x>>32)] ^ slices[2][byte(x>>40)] ^ slices[1][byte(x>>48)] ^ slices[0][byte(x>>56)]
	}
	for _, b := range data {
		sum = sum>>8 ^ slices[0][byte(sum)^b]
	}
	return ^sum
}
