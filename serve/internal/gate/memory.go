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

// Memory is how many bytes of messages are in memory at a time.
type Memory struct {
	max  int64
	used atomic.Int64
}

// NewMemory allows that many bytes.
func NewMemory(limit int64) *Memory { return &Memory{max: limit} }

func (m *Memory) take(n int64) bool {
	if m.used.Add(n) <= m.max {
		return true
	}
	m.used.Add(-n)
	return false
}

// Read reads all of r, at most limit bytes, or backend.ErrSize is returned. It returns
// backend.ErrBusy if there is no memory for it. The caller calls free when the message
// is of no use any more, whatever Read returned: its bytes are used again.
func (m *Memory) Read(r io.Reader, limit int64) (message []byte, free func(), err error) {
	var taken int64
	var first *[firstBytes]byte
	free = func() {
		m.used.Add(-taken)
		taken = 0
		if first != nil {
			firsts.Put(first)
			first = nil
		}
	}
	for {
		if int64(len(message)) > limit {
			return nil, free, backend.ErrSize
		}
		if len(message) == cap(message) {
			more := int64(max(firstBytes, cap(message)))
			if more = min(more, limit+1-int64(len(message))); !m.take(more) {
				return nil, free, backend.ErrBusy
			}
			taken += more
			if cap(message) == 0 && more == firstBytes {
				first = firsts.Get().(*[firstBytes]byte)
				message = first[:0]
				continue
			}
			grown := make([]byte, len(message), int64(len(message))+more)
			copy(grown, message)
			message = grown
		}
		n, err := r.Read(message[len(message):cap(message)])
		message = message[:len(message)+n]
		if err == io.EOF && int64(len(message)) <= limit {
			return message, free, nil
		}
		if err != nil && err != io.EOF {
			return nil, free, err
		}
	}
}
