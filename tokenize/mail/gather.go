package mail

import "github.com/polya-classifier/polya/tokenize/internal/ascii"

// A header gathers the fields of one header within the limits: the first ones up to half
// of the limit, the last ones, and needed ones anywhere.
type header struct {
	*scan
	base    int   // index of its first field on the stack
	message bool  // not of a part
	any     bool  // it has a field
	met     uint8 // the needed fields that a part has
	open    int   // the field that a folded line continues; -1 for none
	from    int   // the start of its value
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

// thin drops fields beyond the limit from the middle, but the first needed ones of each name.
func (h *header) thin() {
	head := h.fields[h.base:]
	if len(head) <= h.fieldCount {
		return
	}
	h.exceeds("header")
	met, n := 0, 0
	for i, f := range head {
		which := neededAt(f.name)
		first := which >= 0 && met&(1<<which) == 0
		if first {
			met |= 1 << which
		}
		if first || i < h.fieldCount/2 || i >= len(head)-h.fieldCount/2 {
			head[n] = f
			n++
		}
	}
	h.fields = h.fields[:h.base+n]
}

// fit returns the fields, with names in lower case. If their values are too long in all,
// half of the limit is for the first bytes of them and half for the last.
func (h *header) fit() []field {
	if h.message {
		h.thin()
		h.fieldCount = max(0, h.fieldCount-len(h.fields)+h.base)
	}
	head, size := h.fields[h.base:], 0
	for i := range head {
		head[i].name = h.lowered(head[i].name)
		size += len(head[i].value)
	}
	if !h.message {
		return head
	}
	if size > h.headerBytes && h.headerBytes > 0 {
		h.trim(head)
	}
	h.headerBytes = max(0, h.headerBytes-size)
	return h.fields[h.base:]
}

// size returns the number of bytes of a value that count against the limit: 0 for fields
// that say how to read the body, so that a header that is too long does not hide the body.
func (f field) size() int {
	if which := neededAt(f.name); 0 <= which && which < partFields {
		return 0
	}
	return len(f.value)
}

// trim cuts the values to the limit. Of a value in the middle both ends stay, as two
// fields.
func (h *header) trim(head []field) {
	first, last := h.headerBytes/2, h.headerBytes-h.headerBytes/2
	i := 0
	for ; i < len(head) && head[i].size() <= first; i++ {
		first -= head[i].size()
	}
	k := len(head) - 1
	for ; k > i && head[k].size() <= last; k-- {
		last -= head[k].size()
	}
	if i > k {
		return
	}
	h.exceeds("header")
	ended := head[k]
	begun := 0 // length of the first end of a value whose both ends stay
	if i == k {
		begun = min(first, len(ended.value))
	}
	end := ended.value[max(begun, len(ended.value)-last):]
	head[i].value = head[i].value[:min(first, len(head[i].value))]
	for j := i + 1; j <= k; j++ {
		if head[j].size() > 0 {
			head[j].value = nil
		}
	}
	if i < k {
		head[k].value = end
	} else {
		h.fields = append(h.fields, field{name: ended.name, value: end})
	}
}
