package pages

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
)

// magic begins a meta page, after its header.
const magic = 0xED0CDAED

// The page sizes that are tried, those of existing machines: a file has the page size of
// the machine that made it, ours 4096.
const (
	minPageSize = 1 << 10
	maxPageSize = 64 << 10
)

// MetaSize is the number of bytes of a meta page that determine the state of the file.
const MetaSize = 80

// Meta holds the content of a meta page.
type Meta struct {
	Valid    bool   // its checksum holds
	PageSize uint64 // in bytes
	Root     uint64 // page of the bucket of buckets
	Pages    uint64 // the number of pages
	Tx       uint64 // the transaction that wrote it
	Free     uint64 // page of the list of free pages
	Listed   bool   // there is one: bbolt need not walk through all pages
}

// Metas are the two first pages of a file. A transaction overwrites the older one as its
// last act, and bbolt uses the newer one whose checksum is correct.
type Metas struct {
	Newest Meta  // not Valid if neither is
	Found  bool  // one of them begins like a meta page
	Damage error // of either; the last transaction may be missing then

	both [2]Meta
}

// ReadMetas reads both meta pages.
func ReadMetas(f io.ReaderAt) Metas {
	first, found, err := readMeta(f, 0, 0)
	out := Metas{Newest: first, Found: found, Damage: err}
	var second Meta
	for size := uint64(minPageSize); size <= maxPageSize; size *= 2 {
		if first.Valid && first.PageSize != size {
			continue
		}
		if second, found, err = readMeta(f, size, 1); found {
			out.Found = true
			break
		}
	}
	switch {
	case out.Damage == nil && err == nil:
		out.Damage = checkTurn(first, second)
	case out.Damage == nil:
		out.Damage = err
	}
	if second.Valid && (!first.Valid || second.Tx > first.Tx) {
		out.Newest = second
	}
	out.both = [2]Meta{first, second}
	return out
}

// checkTurn returns an error unless two sound meta pages can be of one file: of one
// transaction and the next. In a copy that bbolt made of a file the first may be the
// newer one although it is not its turn, so that the next transaction leaves the older
// one.
func checkTurn(first, second Meta) error {
	apart := max(first.Tx, second.Tx) - min(first.Tx, second.Tx)
	if apart == 1 || apart == 2 && second.Tx%2 == 0 && first.Tx > second.Tx {
		return nil
	}
	return fmt.Errorf("pages of meta data of transactions %d and %d", first.Tx, second.Tx)
}

// readMeta reads meta page id at offset. The error says what is wrong with it; bbolt may
// use it nevertheless.
func readMeta(f io.ReaderAt, offset, id uint64) (m Meta, found bool, err error) {
	var b [MetaSize]byte
	n, err := f.ReadAt(b[:], int64(offset))
	found = n >= 20 && native.Uint32(b[16:]) == magic
	if n < len(b) {
		return m, found, fmt.Errorf("page %d of meta data: %w", id, err)
	}
	m = Meta{
		Valid:    found && native.Uint64(b[72:]) == metaSum(b[:]),
		PageSize: uint64(native.Uint32(b[24:])),
		Root:     native.Uint64(b[32:]),
		Free:     native.Uint64(b[48:]),
		Pages:    native.Uint64(b[56:]),
		Tx:       native.Uint64(b[64:]),
	}
	m.Listed = m.Free != math.MaxUint64
	switch {
	case !m.Valid:
		err = fmt.Errorf("page %d of meta data: its checksum is wrong, and the last transaction may be missing", id)
	case native.Uint64(b[:]) != id || native.Uint16(b[8:]) != flagMeta:
		err = fmt.Errorf("page %d of meta data: its header is damaged", id)
	default:
		err = nil
	}
	return m, found, err
}

func metaSum(page []byte) uint64 {
	sum := fnv.New64a()
	sum.Write(page[headerSize:72])
	return sum.Sum64()
}

// MetaTx returns the transaction id in the first MetaSize bytes of a meta page.
func MetaTx(b []byte) uint64 { return native.Uint64(b[64:]) }

// checkSize returns an error if the sizes are beyond what this program reads.
func (m *Meta) checkSize() error {
	if m.PageSize < minPageSize || m.PageSize > maxPageSize || m.Pages > 1<<40/m.PageSize {
		return fmt.Errorf("%d pages of %d bytes", m.Pages, m.PageSize)
	}
	return nil
}

var errOtherMetas = errors.New("the file has changed")

// TakeBack undoes transaction tx, the last one: it overwrites its meta page by the other
// one, with the number of an earlier transaction. The caller waits for the disk. It
// returns an error and writes nothing if tx is not the last one.
func TakeBack(f interface {
	io.ReaderAt
	io.WriterAt
}, tx uint64) error {
	m := ReadMetas(f)
	first, second, size := m.both[0], m.both[1], m.Newest.PageSize
	id, other := uint64(0), second
	if second.Tx == tx || !second.Valid {
		id, other = 1, first
	}
	if !other.Valid || other.Tx >= tx || other.Tx == 0 {
		return errOtherMetas
	}
	page := make([]byte, size)
	if _, err := f.ReadAt(page, int64((1-id)*size)); err != nil {
		return err
	}
	native.PutUint64(page, id)
	native.PutUint64(page[64:], other.Tx-1)
	native.PutUint64(page[72:], metaSum(page))
	_, err := f.WriteAt(page, int64(id*size))
	return err
}
