package gate

// An Excerpt keeps the beginning of a message that comes in pieces, up to a limit. It is not safe for
// concurrent use.
type Excerpt struct {
	held  held
	limit int
	cut   bool // a part of the message is not kept
}

// NewExcerpt returns an Excerpt of at most limit bytes, 1 or more.
func (m *Memory) NewExcerpt(limit int) *Excerpt {
	return &Excerpt{held: held{memory: m}, limit: limit}
}

// Write takes the next piece. It returns backend.ErrBusy if there is no memory for it.
func (e *Excerpt) Write(piece []byte) (int, error) {
	all, text := len(piece), &e.held.text
	for len(piece) > 0 && len(*text) < e.limit {
		if len(*text) == cap(*text) {
			if err := e.held.grow(int64(e.limit)); err != nil {
				return all - len(piece), err
			}
		}
		n := min(len(piece), cap(*text)-len(*text))
		*text = append(*text, piece[:n]...)
		piece = piece[n:]
	}
	e.cut = e.cut || len(piece) > 0
	return all, nil
}

// Leave records that a part of the message is not written.
func (e *Excerpt) Leave() { e.cut = true }

// Len is the number of bytes that are kept.
func (e *Excerpt) Len() int { return len(e.held.text) }

// Text returns the message and whether some of it was left out. The bytes are valid until Free.
func (e *Excerpt) Text() (text []byte, cut bool) { return e.held.text, e.cut }

// Free releases the memory and empties e, which can be used again.
func (e *Excerpt) Free() {
	e.held.free()
	e.cut = false
}
