package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// A room bounds how much of one kind of text is counted: half of it as it comes, and
// the other half from the end, so that nothing in front of a text hides it.
type room struct {
	first, last int    // what is left of both halves, in bytes
	kept        []byte // the end of what the first half had no room for
	backward    bool   // what comes stands before what came
	lost        bool   // something was not counted
}

func (r *room) reset(n int) {
	*r = room{first: n / 2, last: n - n/2, kept: r.kept[:0]}
	if cap(r.kept) > maxKept {
		r.kept = nil
	}
}

// maxKept is the largest buffer that waits for the next message.
const maxKept = 2 * MaxText

// take returns what of text is to be counted now.
func (r *room) take(text []byte) []byte {
	if r.backward {
		now := window.Last(text, r.last)
		r.last -= len(now)
		r.lost = r.lost || len(now) < len(text)
		return now
	}
	now := window.First(text, r.first)
	r.first -= len(now)
	if len(now) < len(text) {
		r.first = 0
		r.keep(text[len(now):])
	}
	return now
}

// takeAll reports whether text, which has no parts, is to be counted now.
func (r *room) takeAll(text []byte) bool {
	left := &r.first
	if r.backward {
		left = &r.last
	}
	if len(text) <= *left {
		*left -= len(text)
		return true
	}
	if *left = 0; r.backward {
		r.lost = true
	} else {
		r.keep(text)
	}
	return false
}

// keep appends text, on lines of its own, to what waits for the end.
func (r *room) keep(text []byte) {
	if len(text) > r.last {
		text, r.lost = text[len(text)-r.last:], true
	}
	if drop := len(r.kept) - r.last; drop > 0 && len(r.kept)+len(text) > 2*r.last {
		r.kept, r.lost = r.kept[:copy(r.kept, r.kept[drop:])], true
	}
	r.kept = append(append(r.kept, text...), '\n')
}

// rest returns the end of what was not counted as it came.
func (r *room) rest() []byte {
	kept := bytes.TrimSpace(r.kept)
	rest := window.Last(kept, r.last)
	r.lost = r.lost || len(rest) < len(kept)
	return rest
}
