package mail

import "github.com/polya-classifier/polya/tokenize/internal/ascii"

// A header gathers the fields of one header within the limits: the first ones up to half
// of the limit, the last ones, and needed ones anywhere.
type header struct {
	*scan
	base    int     // index of its first field on the stack
	message bool    // not of a part
	any     bool    // it has a field
	met     uint8   // the needed fields that a part has
	open    int     // the field that a folded line continues; -1 for none
	from    int     // the start of its value
	rest    []field // memory for thin
}

// needed are the fields that are kept anywhere in a header that is too long; the first
// partFields of them say how to read a part.
var needed = [...]string{"content-type", "content-transfer-encoding", "content-disposition", "subject", "from", "to", "date", "message-id"}

const partFields = 3

// neededAt returns the index of a name in needed, -1 if absent.
func neededAt(name []byte) int {
	for i, n := range needed {
		if len(name) == len(n) && name[0]|0x20 == n[0] && ascii.HasPrefix(name, n) {
			return i
		}
	}
	return -1
}

// push stores a field, whose value begins at from. Of a part only needed ones are stored.
func (h *header) push(name, value []byte, from int) {
	h.any, h.from, h.open = true, from, -1
	if h.message && len(h.fields)-h.base >= 2*MaxFields {
		h.thin()
	} else if !h.message {
		which := neededAt(name)
		if which < 0 || which >= partFields || h.met&(1<<which) != 0 {
			return
		}
		h.met |= 1 << which
	}
	h.open = len(h.fields)
	h.fields = append(h.fields, field{name: name, value: value})
}

// thin cuts the middle from fields beyond the limit. The first needed ones of each name stay, of
// which those that say how to read the body stay whole.
func (h *header) thin() {
	head := h.fields[h.base:]
	first, last := h.headerBytes/2, h.headerBytes-h.headerBytes/2
	i, k, met := 0, len(head), 0
	for ; i < k && head[i].cost() <= first; i++ {
		first -= head[i].cost()
		met |= 1 << (1 + neededAt(head[i].name))
	}
	for ; k > i && head[k-1].cost() <= last; k-- {
		last -= head[k-1].cost()
	}
	if i == k {
		return
	}
	h.exceeds("header")
	h.rest = append(h.rest[:0], head[i:]...)
	rest := h.rest
	middle := rest[:k-i]
	h.fields = h.fields[:h.base+i]
	for j, f := range middle {
		begin, which := 0, neededAt(f.name)
		if j == 0 {
			begin = first
		}
		if bit := 1 << (1 + which); which >= 0 && met&bit == 0 {
			met |= bit
			begin = max(begin, maxNeeded)
			if which < partFields {
				begin = len(f.value)
			}
		}
		begin = min(begin, len(f.value))
		if begin > 0 || j == 0 {
			h.fields = append(h.fields, field{f.name, f.value[:begin]})
		}
		if end := f.value[max(begin, len(f.value)-last):]; j == len(middle)-1 && len(end) > 0 {
			h.fields = append(h.fields, field{f.name, end})
		}
	}
	h.fields = append(h.fields, rest[k-i:]...)
}

// maxNeeded is how much of a needed field in the middle is kept: a line of mail.
const maxNeeded = 998

// cost is what a field takes of MaxHeaderBytes: so much more than its value that there are no more
// than MaxFields.
func (f field) cost() int { return fieldCost + len(f.value) }

const fieldCost = MaxHeaderBytes / MaxFields

// fit returns the fields within the limit, with names in lower case.
func (h *header) fit() []field {
	if h.message {
		h.thin()
	}
	head := h.fields[h.base:]
	for i := range head {
		head[i].name = h.lowered(head[i].name)
		if h.message {
			h.headerBytes -= head[i].cost()
		}
	}
	if h.headerBytes < fieldCost {
		h.headerBytes = 0
	}
	return head
}
