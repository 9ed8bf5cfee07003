package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/window"
)

// A room bounds how much text of one kind is counted: half from the beginning, and half
// from the end, so that nothing in front of a text hides it.
type room struct {
	first, last int    // bytes left in both halves
	kept        []byte // the end of the text beyond the first half
	lost        bool   // a text was not counted
}

func (r *room) reset(n int) {
	*r = room{first: n / 2, last: n - n/2, kept: r.kept[:0]}
	if cap(r.kept) > maxKept {
		r.kept = nil
	}
}

// maxKept is the largest buffer kept for the next message.
const maxKept = 2 * MaxText

// take returns the part of text to count now.
func (r *room) take(text []byte) []byte {
	now := window.First(text, r.first)
	r.first -= len(now)
	if len(now) < len(text) {
		r.first = 0
		r.keep(text[len(now):])
	}
	return now
}

// keep appends text, on lines of its own, to the kept end.
func (r *room) keep(text []byte) {
	if len(text) > r.last {
		text, r.lost = text[len(text)-r.last:], true
	}
	if drop := len(r.kept) - r.last; drop > 0 && len(r.kept)+len(text) > 2*r.last {
		r.kept, r.lost = r.kept[:copy(r.kept, r.kept[drop:])], true
	}
	r.kept = append(append(r.kept, text...), '\n')
}

// rest returns the kept end of the texts not counted yet.
func (r *room) rest() []byte {
	kept := bytes.TrimSpace(r.kept)
	rest := window.Last(kept, r.last)
	r.lost = r.lost || len(rest) < len(kept)
	return rest
}
