package gate

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/serve/backend"
)

// firstBytes is allocated for a message before any of it has arrived, so that announcing
// a long one costs nothing.
const firstBytes = 16 << 10

// firsts are buffers of firstBytes, enough for most messages.
var firsts = sync.Pool{New: func() any { return new([firstBytes]byte) }}

// Memory bounds the bytes of messages in memory. Half of it is divided among connections
// beforehand, so that a message of usual size is accepted whoever holds the rest.
type Memory struct {
	share int64        // bytes reserved for each message
	max   int64        // bytes for all messages together beyond their shares
	used  atomic.Int64 // of max
}

// NewMemory allows limit bytes for at most that many messages at a time.
func NewMemory(limit int64, messages int) *Memory {
	half := limit / 2
	return &Memory{share: half / int64(max(1, messages)), max: limit - half}
}

// Used returns the number of bytes in use beyond the shares.
func (m *Memory) Used() int64 { return m.used.Load() }

// beyond returns by how many bytes a message of n bytes exceeds its share.
func (m *Memory) beyond(n int64) int64 { return max(0, n-m.share) }

// held is the text of one message, in memory that is counted.
type held struct {
	memory *Memory
	text   []byte
	taken  int64
	first  *[firstBytes]byte
}

// grow makes room for more text, up to limit bytes of it, or returns backend.ErrBusy.
func (h *held) grow(limit int64) error {
	size := min(max(firstBytes, 2*int64(cap(h.text))), limit)
	more := h.memory.beyond(size) - h.memory.beyond(h.taken)
	if more > 0 && h.memory.used.Add(more) > h.memory.max {
		h.memory.used.Add(-more)
		return backend.ErrBusy
	}
	h.taken = size
	if cap(h.text) == 0 && size == firstBytes {
		h.first = firsts.Get().(*[firstBytes]byte)
		h.text = h.first[:0]
		return nil
	}
	grown := make([]byte, len(h.text), size)
	copy(grown, h.text)
	h.text = grown
	return nil
}

// free releases the memory.
func (h *held) free() {
	h.memory.used.Add(-h.memory.beyond(h.taken))
	if h.first != nil {
		firsts.Put(h.first)
	}
	*h = held{memory: h.memory}
}

// Read reads all of r. It returns backend.ErrSize if that is more than limit bytes, and
// backend.ErrBusy if there is no memory for it. The caller calls free when done with the
// message, also after an error: its bytes are reused.
func (m *Memory) Read(r io.Reader, limit int64) (message []byte, free func(), err error) {
	h := &held{memory: m}
	for {
		if int64(len(h.text)) > limit {
			return nil, h.free, backend.ErrSize
		}
		if len(h.text) == cap(h.text) {
			if err := h.grow(limit + 1); err != nil {
				return nil, h.free, err
			}
		}
		n, err := r.Read(h.text[len(h.text):cap(h.text)])
		h.text = h.text[:len(h.text)+n]
		if err == io.EOF && int64(len(h.text)) <= limit {
			return h.text, h.free, nil
		}
		if err != nil && err != io.EOF {
			return nil, h.free, err
		}
	}
}
