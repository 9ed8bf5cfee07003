package mail

import (
	"bytes"
	"slices"
)

// unread is a multipart whose parts from pos on are not read yet.
type unread struct {
	mark   []byte // nil: boundaries are guessed
	body   []byte
	pos    int
	last   bool // there are none
	digest bool
	depth  int
}

// postpone keeps the rest of a multipart for readLate.
func (s *scan) postpone(u unread) {
	u.mark = bytes.Clone(u.mark)
	hint := bytes.Clone(s.hint)
	s.late = append(s.late, func() {
		s.hint = hint
		s.lastParts(u)
	})
}

// wait keeps a text part for readLate.
func (s *scan) wait(p part, body []byte) {
	p.charset = bytes.Clone(p.charset)
	s.late = append(s.late, func() { s.prose(p, body) })
}

// readLate reads what is beyond the first half of the limits, backwards from the end of the
// message, until the second half is used up too. A multipart was postponed before its enclosing
// one, whose rest comes after it.
func (s *scan) readLate() {
	s.backward, s.parts, s.markup = true, MaxParts-MaxParts/2, MaxMarkup/2
	for _, read := range slices.Backward(s.late) {
		read()
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
