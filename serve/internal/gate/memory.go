package gate

import (
	"io"
	"slices"
	"sync"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
)

const (
	// firstBytes is allocated before any of a message has arrived: to announce a long one costs nothing.
	firstBytes = 16 << 10
	// share is what a message has whoever holds the rest: most messages are shorter.
	share = 32 << 10
	// patience is how long a message waits for memory: less than its client waits for the reply.
	patience = 10 * time.Second
)

// Memory bounds the bytes of all messages in memory. A quarter of it is shares, and as much as the
// largest message is a reserve. Each message grows in steps, out of what is between these two, and
// waits if it is taken. The one that has waited longest then has the turn: it grows out of the
// reserve without waiting again, so that it ends, and leaves what it holds to the others.
type Memory struct {
	Patience time.Duration // how long a message waits in all before it is refused; set before use

	*pool
	part      bool
	ownShared int64 // of the shares, by messages of this part
	ownTaken  int64 // of the rest
}

// pool is what the parts of a Memory have in common.
type pool struct {
	mu            sync.Mutex
	limit         int64
	shares, rest  int64 // the greatest sums
	shared, taken int64 // of the shares, and of the rest
	turn          *held // which has the reserve, or nil
	waiting       []*growth
}

// growth is a message that waits to grow.
type growth struct {
	of      *held
	size    int64
	granted chan struct{}
}

// NewMemory allows limit bytes for messages of at most largest bytes.
func NewMemory(limit, largest int64) *Memory {
	m := &Memory{Patience: patience, pool: new(pool)}
	m.Resize(limit, largest)
	return m
}

// Part returns the same memory for one listener. Its messages leave as much free as they have,
// beside the reserve: clients of one listener that stall do not starve those of another.
func (m *Memory) Part() *Memory { return &Memory{Patience: m.Patience, pool: m.pool, part: true} }

// Resize allows limit bytes for messages of at most largest bytes from now on.
func (m *pool) Resize(limit, largest int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit, m.shares = limit, max(limit/4, share)
	m.rest = max(0, limit-m.shares-largest)
	m.admit()
}

// Used returns the bytes that messages have, and how many they may have.
func (m *pool) Used() (used, limit int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	used = m.shared + m.taken
	if m.turn != nil {
		used += m.turn.size - share - m.turn.beyond
	}
	return used, m.limit
}

// fits takes the bytes by which a message grows, if they are there. The caller holds mu.
func (m *Memory) fits(h *held, size int64) bool {
	first, more := int64(0), max(size, share)-max(h.size, share)
	if h.size == 0 {
		first = share // at once: if it took a half, all could wait for the other halves
	}
	full := m.taken+more > m.rest || m.part && m.ownTaken+more > m.rest-m.taken
	switch {
	case first > 0 && (m.shared+first > m.shares || m.part && m.ownShared+first > m.shares-m.shared):
		return false
	case h == m.turn, more == 0:
		more = 0
	case full && m.turn != nil:
		return false
	case full:
		m.turn, more = h, 0
	}
	m.shared += first
	m.ownShared += first
	m.taken += more
	m.ownTaken += more
	h.beyond += more
	h.size = size
	return true
}

// admit lets those grow who have waited longest. The caller holds mu.
func (m *pool) admit() {
	m.waiting = slices.DeleteFunc(m.waiting, func(g *growth) bool {
		if !g.of.memory.fits(g.of, g.size) {
			return false
		}
		close(g.granted)
		return true
	})
}

// take lets a message grow to size bytes as soon as there is memory, or returns backend.ErrBusy.
func (m *Memory) take(h *held, size int64) error {
	m.mu.Lock()
	if m.fits(h, size) {
		m.mu.Unlock()
		return nil
	}
	g := &growth{h, size, make(chan struct{})}
	m.waiting = append(m.waiting, g)
	m.mu.Unlock()
	start := time.Now()
	defer func() { h.waited += time.Since(start) }()
	select {
	case <-g.granted:
		return nil
	case <-time.After(m.Patience - h.waited):
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.waiting, g)
	if i < 0 { // granted in the last moment
		return nil
	}
	m.waiting = slices.Delete(m.waiting, i, i+1)
	return backend.ErrBusy
}

// held is the text of one message, in memory that is counted.
type held struct {
	memory       *Memory
	text         []byte
	size, beyond int64 // bytes taken in all, and beyond share and reserve
	waited       time.Duration
}

// grow makes room for more text, up to limit bytes of it, or returns backend.ErrBusy.
func (h *held) grow(limit int64) error {
	size := min(max(firstBytes, 2*int64(cap(h.text))), limit)
	if err := h.memory.take(h, size); err != nil {
		return err
	}
	grown := make([]byte, len(h.text), size)
	copy(grown, h.text)
	h.text = grown
	return nil
}

func (h *held) free() {
	m := h.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.size > 0 {
		m.shared -= share
		m.ownShared -= share
	}
	m.taken -= h.beyond
	m.ownTaken -= h.beyond
	if m.turn == h {
		m.turn = nil
	}
	h.text, h.size, h.beyond, h.waited = nil, 0, 0, 0
	m.admit()
}

// Read reads all of r. It returns backend.ErrSize if that is more than limit bytes, and backend.ErrBusy if there
// is no memory for it in time. The caller calls free when done, also after an error: the bytes are reused.
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
