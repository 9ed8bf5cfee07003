package wire

import (
	"hash/crc32"
	"sync/atomic"
)

// few is the number of bytes that take about as long by the processor's instruction alone
// as making the tables of hash/crc32.
const few = 2 << 20

var (
	seen atomic.Int64                // bytes, until there are more than few
	many atomic.Pointer[crc32.Table] // that of hash/crc32, then
)

// Checksum returns the CRC-32C of data, as hash/crc32 does, but at first without the tables
// that hash/crc32 makes on amd64 at its first call: they take 0.15 ms, which is much for a
// process that reads one message and some kilobytes, and pay only in one that reads more.
func Checksum(data []byte) uint32 { return Sum(0, data) }

// Sum returns the CRC-32C of the data with checksum sum followed by data.
func Sum(sum uint32, data []byte) uint32 {
	table := many.Load()
	if table == nil {
		if hasInstruction && seen.Add(int64(len(data))) <= few {
			return instruction(sum, data)
		}
		table = crc32.MakeTable(crc32.Castagnoli)
		many.Store(table)
	}
	return crc32.Update(sum, table, data)
}
