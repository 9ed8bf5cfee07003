package mail

import "slices"

// A header gathers the fields of one header within the limits: the first ones, of those
// beyond half of the limit the last ones, and those that must not be missed.
type header struct {
	*scan
	base    int   // of its fields on the stack
	message bool  // not of a part
	any     bool  // it has a field
	met     uint8 // of needed, those that it has
	open    int   // the field that a fold goes on with; -1 for none
	from    int   // where its value begins
	ring    int   // where the last fields lie, once there are too many; else 0
	late    int   // how many went there
}

// needed are the fields that are kept wherever they stand among too many; the first
// partFields of them tell how a part is to be read.
var needed = [...]string{"content-type", "content-transfer-encoding", "content-disposition", "subject", "from", "to", "date", "message-id"}

const partFields = 3

// neededAt is the place of a name among needed, -1 if it is not there.
func neededAt(name []byte) int {
	for i, n := range needed {
		if len(name) == len(n) && name[0]|0x20 == n[0] && hasPrefixFold(name, n) {
			return i
		}
	}
	return -1
}

// push stores a field, whose value begins at from, if it is one that is kept.
func (h *header) push(name, value []byte, from int) {
	h.any, h.from = true, from
	if h.open = h.slot(name); h.open >= 0 {
		h.fields[h.open] = field{name: name, value: value}
	}
}

// slot returns the place for a field of that name, -1 if it is not kept.
func (h *header) slot(name []byte) int {
	which := neededAt(name)
	first := which >= 0 && h.met&(1<<which) == 0
	if first {
		h.met |= 1 << which
	}
	switch {
	case !h.message && (!first || which >= partFields):
		return -1
	case !h.message || first && h.fieldCount <= MaxFields/2:
	case h.fieldCount > MaxFields/2:
		h.fieldCount--
	case which >= 0:
		h.defects |= ErrHeader
		return -1
	default:
		return h.last()
	}
	h.fields = append(h.fields, field{})
	return len(h.fields) - 1
}

// last is the place for one of the last fields.
func (h *header) last() int {
	if h.fieldCount == 0 {
		h.defects |= ErrHeader
		return -1
	}
	if h.late == 0 {
		h.ring = len(h.fields)
		h.fields = append(h.fields, make([]field, h.fieldCount)...)
	}
	if h.late >= h.fieldCount {
		h.defects |= ErrHeader
	}
	h.late++
	return h.ring + (h.late-1)%h.fieldCount
}

// fit returns the fields, with names in lower case. Where their values are too long in
// all, the first half of the room is for the first bytes of them, the other for the last.
func (h *header) fit() []field {
	head := h.fields[h.base:]
	if h.late > 0 {
		h.fieldCount -= min(h.late, h.fieldCount)
		head = slices.DeleteFunc(head, func(f field) bool { return f.name == nil })
		h.fields = h.fields[:h.base+len(head)]
	}
	size := 0
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

// size is what counts of a value. What tells how to read the body does not: without it
// a header that is too long would hide the body.
func (f field) size() int {
	if which := neededAt(f.name); 0 <= which && which < partFields {
		return 0
	}
	return len(f.value)
}

// trim cuts the values to what there is room for. Of a value in the middle both ends stay,
// as two fields.
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
	h.defects |= ErrHeader
	ended := head[k]
	begun := 0 // of a value of which both ends stay, what the first has
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
