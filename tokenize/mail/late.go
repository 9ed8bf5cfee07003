package mail

import "bytes"

// unread is a multipart whose parts from pos on are not read yet.
type unread struct {
	mark   []byte // nil: boundaries are guessed
	body   []byte
	pos    int
	last   bool // there are none
	digest bool
	depth  int
	hint   []byte
}

// postpone keeps the rest of a multipart for readLate.
func (s *scan) postpone(u unread) {
	u.mark, u.hint = bytes.Clone(u.mark), bytes.Clone(s.hint)
	s.late = append(s.late, u)
}

// readLate reads the parts beyond the first half of the limit, backwards from the last
// part, until the second half is used up too. A multipart was postponed before its
// enclosing one, whose rest comes after it.
func (s *scan) readLate() {
	s.backward, s.seen.backward, s.hidden.backward, s.links.backward = true, true, true, true
	s.parts, s.markup = MaxParts-MaxParts/2, MaxMarkup/2
	for i := len(s.late) - 1; i >= 0; i-- {
		s.hint = s.late[i].hint
		s.lastParts(s.late[i])
	}
	for i := len(s.waiting) - 1; i >= s.gone; i-- {
		s.prose(s.waiting[i].part, s.waiting[i].body)
	}
}

// A waiting text part is one of the last parts within half of MaxMarkup.
type waiting struct {
	part
	body []byte
}

// wait keeps a text part for readLate, and drops earlier ones that exceed the limit with it.
func (s *scan) wait(p part, body []byte) {
	body = s.lastOf(body, MaxMarkup/2)
	p.charset, p.boundary = bytes.Clone(p.charset), nil
	s.waiting = append(s.waiting, waiting{p, body})
	s.waits += len(body)
	for ; s.waits > MaxMarkup/2 && s.gone < len(s.waiting)-1; s.gone++ {
		s.waits -= len(s.waiting[s.gone].body)
		s.exceeds("text")
	}
	if s.gone > len(s.waiting)/2 {
		s.waiting = append(s.waiting[:0], s.waiting[s.gone:]...)
		s.gone = 0
	}
}

// lastParts reads the last parts of a multipart, backwards.
func (s *scan) lastParts(u unread) {
	parts, total := s.cut(u)
	i := total
	for oldest := total - len(parts); i > oldest && s.parts > 0; {
		i--
		s.parts--
		s.inner(parts[i%len(parts)], u.digest, u.depth+1)
	}
	if i > 0 || total == 0 && !u.last {
		s.exceeds("parts")
	}
}

// cut finds the last parts of a multipart, as many as the limit allows, in a ring: part i
// of total is at i modulo the ring's length.
func (s *scan) cut(u unread) (parts [][]byte, total int) {
	room := s.parts
	for !u.last && room > 0 {
		part, _ := s.nextPart(&u)
		if len(parts) < room {
			parts = append(parts, part)
		} else {
			parts[total%room] = part
		}
		total++
	}
	return parts, total
}
