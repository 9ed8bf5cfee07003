package stored

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/store/internal/fault"
	"github.com/polya-classifier/polya/store/internal/table"
	"github.com/polya-classifier/polya/store/internal/wire"
)

const (
	// FormatVersion is the version of the file format that this program reads and
	// writes. The ledger of versions is in FORMAT.md.
	FormatVersion = 2

	// FlagPruned is set where terms may have been dropped: class totals,
	// documents, rows, digests and the corpus may have a part for them.
	FlagPruned = 1

	// FlagAttributes is set where documents may have attributes: the buckets of their counts
	// exist.
	FlagAttributes = 2

	// FlagTags is set where documents have any number of tags: classes are sets of them,
	// and their names may be longer.
	FlagTags = 8

	// FlagChannels is set where documents may have terms of channels, which totals exclude.
	FlagChannels = 16

	// FlagFollows is set where the database follows a log, or has followed one: a change
	// without a position of the log makes it differ from other followers.
	FlagFollows = 32

	// FlagPacked is set where documents in the log may be packed.
	FlagPacked = 64

	// knownFlags are the feature flags that this program understands. A file with any other
	// is refused: its counts could not be kept correct.
	knownFlags = FlagPruned | FlagAttributes | FlagChannels | FlagTags | FlagFollows | FlagPacked
)

// Header is the part of a file that is read first.
type Header struct {
	Version uint16
	Flags   uint32       // feature flags
	Key     table.Key    // of the hash of terms
	Ledger  count.Ledger // how documents are kept
}

const headerSize = 2 + 4 + 16 + 1 + 4

// Encode returns the value of the header.
func (h *Header) Encode() []byte {
	b := binary.BigEndian.AppendUint16(nil, h.Version)
	b = binary.BigEndian.AppendUint32(b, h.Flags)
	b = append(b, h.Key[:]...)
	return wire.AppendCRC(append(b, byte(h.Ledger)), KeyHeader)
}

// DecodeHeader reads what Encode returns. The error is fault.ErrNotPolya, a *fault.Error or, of an
// undamaged header that another polya wrote, a *FormatError.
func DecodeHeader(b []byte) (Header, error) {
	var h Header
	switch {
	case len(b) < 6:
		return h, fault.ErrNotPolya
	case wire.CheckCRC(b, KeyHeader) == nil:
		return h, &fault.Error{What: "header"}
	}
	h.Version = binary.BigEndian.Uint16(b)
	h.Flags = binary.BigEndian.Uint32(b[2:])
	if h.Version != FormatVersion || h.Flags&^knownFlags != 0 {
		return h, &FormatError{h.Version, h.Flags &^ knownFlags}
	}
	h.Ledger = count.Ledger(b[min(22, len(b)-1)])
	if len(b) != headerSize || !h.Ledger.Valid() {
		return h, &fault.Error{What: "header"}
	}
	copy(h.Key[:], b[6:])
	return h, nil
}

// Buckets returns the buckets that the file has.
func (h *Header) Buckets() [][]byte {
	if h.Flags&FlagAttributes == 0 {
		return Buckets
	}
	return slices.Concat(Buckets, AttributeBuckets)
}

// Tags reports whether classes are sets of tags.
func (h *Header) Tags() bool { return h.Flags&FlagTags != 0 }

// CheckClass returns an error, which wraps count.ErrInvalid, unless the file can have a class
// of that name: a set of tags, or, where it has classes, one that is no longer than theirs.
func (h *Header) CheckClass(name string) error {
	switch {
	case !h.Tags():
		return count.CheckName(name)
	case count.Tags(name) == nil:
		return fmt.Errorf("class %.40q: %w: the database has tags; want a set of them, as count.TagSet names it", name, count.ErrInvalid)
	}
	return nil
}

// FormatError is returned when a file was written by another polya: its format
// version is not FormatVersion, or one of its feature flags is unknown here.
type FormatError struct {
	Version uint16 // the file's format version
	Flags   uint32 // the feature flags that are unknown here
}

// Error says which version or features the file needs.
func (e *FormatError) Error() string {
	switch {
	case e.Version > FormatVersion:
		return fmt.Sprintf("database has format version %d, this program reads version %d; use a newer polya", e.Version, FormatVersion)
	case e.Version < FormatVersion:
		return fmt.Sprintf("database has format version %d, this program reads version %d; dump it with the polya that wrote it, and load the dump", e.Version, FormatVersion)
	}
	return fmt.Sprintf("database uses unknown features %#x; use a newer polya", e.Flags)
}
