package gate

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/polya-classifier/polya/serve/backend"
)

// firstBytes is what is allocated for a message before any of it came, so that to
// announce a long one costs nothing.
const firstBytes = 16 << 10

// firsts are of that many bytes, which are enough for most messages.
var firsts = sync.Pool{New: func() any { return new([firstBytes]byte) }}

// Memory is how many bytes of messages are in memory at a time. Half of it is shared out
// beforehand, so that whoever holds the rest, a message of usual size is taken from
// everybody else.
type Memory struct {
	share int64        // what each message has for itself
	max   int64        // what they have together beyond their shares
	used  atomic.Int64 // of that
}

// NewMemory allows that many bytes for at most that many messages at a time.
func NewMemory(limit int64, messages int) *Memory {
	half := limit / 2
	return &Memory{share: half / int64(max(1, messages)), max: limit - half}
}

// Used is how many bytes are in use beyond the shares.
func (m *Memory) Used() int64 { return m.used.Load() }

// beyond is how much of so many bytes of one message is more than its share.
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

// free gives the memory back.
func (h *held) free() {
	h.memory.used.Add(-h.memory.beyond(h.taken))
	if h.first != nil {
		firsts.Put(h.first)
	}
	*h = held{memory: h.memory}
}

// Read reads all of r, at most limit bytes, or backend.ErrSize is returned. It returns
// backend.ErrBusy if there is no memory for it. The caller calls free when the message
// is of no use any more, whatever Read returned: its bytes are used again.
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
