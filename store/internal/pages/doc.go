// Package pages reads the pages of a bbolt file without bbolt, which has no checksum on
// them. Some damaged pages make bbolt end the program: it follows a branch that leads to
// itself until the stack overflows, and a panic while it scans all pages, in a goroutine
// of its own, cannot be recovered. With others it silently skips keys.
//
// Check and similar functions stop at the first damaged page. Salvage takes what can be
// read and continues. The package does not know the keys and values of a database:
// callers describe them by Access and Content.
//
// bbolt writes a page as a whole, keys and values contiguous in the order of the
// elements: any change in a header or an element leaves a gap or an overlap.
package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A page begins with id u64, flags u16, count u16, overflow u32; elements of 16 bytes
// follow. Of a branch: position u32, key size u32, page u64. Of a leaf: flags u32,
// position u32, key size u32, value size u32. Positions count from the element.
const (
	headerSize  = 16
	elementSize = 16
	flagBranch  = 1
	flagLeaf    = 2
	flagMeta    = 4
	flagFree    = 16
	flagBucket  = 1

	// bucketHead is the size of the head of a bucket's value: root u64, sequence u64. The
	// page of a bucket without a root follows.
	bucketHead = 16
)

var native = binary.NativeEndian

var (
	errHeader = errors.New("its header is damaged")
	errUnread = errors.New("it cannot be read")
	errBeyond = errors.New("it is beyond the end")
	errTwice  = errors.New("it has two parents")
	errOrder  = errors.New("its keys are not in order")
	errHeight = errors.New("it is as a branch what others are as a leaf")
	errFree   = errors.New("the list of free pages is damaged")
)

func errElement(i int) error { return fmt.Errorf("element %d is damaged", i) }

type pageError struct {
	id  uint64
	err error
}

func (e *pageError) Error() string { return fmt.Sprintf("page %d: %v", e.id, e.err) }
func (e *pageError) Unwrap() error { return e.err }
