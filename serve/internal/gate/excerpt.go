package gate

import (
	"bytes"
	"slices"
)

// far is how many bytes from a cut the end of a line is searched.
const far = 1 << 10

// An Excerpt keeps a message that comes in pieces: all of it or, if it is longer than the limit, the beginning
// and the end, half of the limit each, so that nothing hides. It is not safe for concurrent use.
type Excerpt struct {
	held  held
	limit int
	next  int  // where the next byte goes in the end, a ring buffer
	cut   bool // bytes were dropped between the beginning and the end
	left  bool // a part was not written
}

// NewExcerpt returns an Excerpt of at most limit bytes, 1 or more.
func (m *Memory) NewExcerpt(limit int) *Excerpt {
	return &Excerpt{held: held{memory: m}, limit: limit, next: limit / 2}
}

// Write takes the next piece. It returns backend.ErrBusy if there is no memory for it.
func (e *Excerpt) Write(piece []byte) (int, error) {
	all := len(piece)
	for len(piece) > 0 {
		text := &e.held.text
		switch {
		case len(*text) < cap(*text):
			n := min(len(piece), cap(*text)-len(*text))
			*text = append(*text, piece[:n]...)
			piece = piece[n:]
		case len(*text) < e.limit:
			if err := e.held.grow(int64(e.limit)); err != nil {
				return all - len(piece), err
			}
		default:
			e.cut = true
			n := copy((*text)[e.next:], piece)
			piece = piece[n:]
			if e.next += n; e.next == e.limit {
				e.next = e.limit / 2
			}
		}
	}
	return all, nil
}

// Leave records that a part of the message is not written.
func (e *Excerpt) Leave() { e.left = true }

// Len is the number of bytes that are kept.
func (e *Excerpt) Len() int { return len(e.held.text) }

// Text returns the message and whether some of it was left out. Do not write to e after
// that. The bytes are valid until Free.
func (e *Excerpt) Text() (text []byte, cut bool) {
	text = e.held.text
	if !e.cut {
		return text, e.left
	}
	begin, end := text[:e.limit/2], text[e.limit/2:]
	at := e.next - e.limit/2
	slices.Reverse(end[:at])
	slices.Reverse(end[at:])
	slices.Reverse(end)
	// Two lines in pieces must not become one.
	near := max(0, len(begin)-far)
	if i := bytes.LastIndexByte(begin[near:], '\n'); i >= 0 {
		begin = begin[:near+i]
	}
	if i := bytes.IndexByte(end[:min(len(end), far)], '\n'); i >= 0 {
		end = end[i:]
	} else {
		end[0] = '\n'
	}
	return append(begin, end...), true
}

// Free releases the memory and empties e, which can be used again.
func (e *Excerpt) Free() {
	e.held.free()
	e.next, e.cut, e.left = e.limit/2, false, false
}
