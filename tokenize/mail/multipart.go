package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// multipart reads the parts of a multipart body (RFC 2046 section 5.1).
func (s *scan) multipart(p part, body []byte, depth int) {
	marks := len(s.marks)
	mark, pos, last := s.open(p.boundary, body)
	if pos < 0 && s.scanBytes <= 0 {
		s.flat(p, body)
		s.marks = s.marks[:marks]
		return
	}
	if pos < 0 {
		mark, pos, last = s.open(guessBoundary(body), body)
	}
	if pos < 0 {
		s.prose(p, body)
	} else {
		s.eachPart(mark, body, pos, last, p.media == "multipart/digest", depth)
	}
	s.marks = s.marks[:marks]
}

// open finds the first boundary line of body, and returns the mark to search for. The
// preamble before it is not shown to readers and gives no terms.
func (s *scan) open(boundary, body []byte) (mark []byte, pos int, last bool) {
	if len(boundary) == 0 {
		return nil, -1, false
	}
	if len(boundary) > MaxBoundary {
		s.exceeds("boundary")
	}
	n := len(s.marks)
	s.marks = append(append(s.marks, "\n--"...), boundary...)
	mark = s.marks[n:len(s.marks):len(s.marks)]
	_, pos, last = s.boundaryAt(mark, body, 0)
	return mark, pos, last
}

// eachPart reads the parts from pos on, where the first begins. Parts beyond the limit
// wait for readLate.
func (s *scan) eachPart(mark, body []byte, pos int, last, digest bool, depth int) {
	rest := unread{mark: mark, body: body, pos: pos, last: last, digest: digest, depth: depth}
	if s.backward {
		s.lastParts(rest)
		return
	}
	for !rest.last {
		if s.parts <= 0 {
			s.postpone(rest)
			return
		}
		s.parts--
		part, ok := s.nextPart(&rest)
		s.inner(part, digest, depth+1)
		if !ok {
			return
		}
	}
}

// nextPart returns the next part, and reports whether there may be more.
func (s *scan) nextPart(u *unread) (part []byte, ok bool) {
	end, next, last := 0, 0, false
	if u.mark == nil {
		end, next = flatBoundary(u.body, u.pos)
	} else {
		end, next, last = s.boundaryAt(u.mark, u.body, u.pos)
		if next < 0 && s.scanBytes <= 0 {
			s.exceeds("scan")
			u.mark = nil // boundaries are guessed from here on
			end, next = flatBoundary(u.body, u.pos)
		}
	}
	// QUIRK: RFC 2046 section 5.1.1: without a closing boundary the part reaches to the end.
	part = u.body[u.pos:end]
	u.pos, u.last = next, last || next < 0
	return part, next >= 0
}

func (s *scan) inner(raw []byte, digest bool, depth int) {
	fields, kept := len(s.fields), len(s.kept)
	head, body := s.split(raw, false)
	p := s.describe(head)
	if digest && p.media == "" {
		p.media = "message/rfc822" // RFC 2046 section 5.1.5
	}
	s.part(p, body, depth)
	s.fields, s.kept = s.fields[:fields], s.kept[:kept]
}

// boundaryAt finds the next boundary line of body at or behind pos: end is the end of the
// part before it, next the beginning of the part after it, or -1 if there is no such
// line; last says that it closes the multipart.
func (s *scan) boundaryAt(mark, body []byte, pos int) (end, next int, last bool) {
	for from := max(pos-1, 0); ; {
		if s.scanBytes <= 0 {
			s.exceeds("scan")
			return len(body), -1, false
		}
		at, skip := from, 0
		if from == 0 && bytes.HasPrefix(body, mark[1:]) {
			skip = 1 // the line break is before the body
		} else {
			n := bytes.Index(body[from:], mark[:min(len(mark), MaxBoundary)])
			if n < 0 {
				s.scanBytes -= len(body) - from
				return len(body), -1, false
			}
			at += n
			if !bytes.HasPrefix(body[at:], mark) {
				s.scanBytes -= at + 1 - from
				from = at + 1
				continue
			}
		}
		tail := at + len(mark) - skip
		s.scanBytes -= tail - from
		eol, nextLine := lineAt(body, tail)
		rest := bytes.TrimRight(body[tail:eol], " \t")
		if len(rest) == 0 || string(rest) == "--" {
			if at > pos && body[at-1] == '\r' {
				at--
			}
			return max(at, pos), nextLine, len(rest) > 0
		}
		from = tail
	}
}

// guessBoundary looks for a line of "--" with a field Content-… below it.
//
// QUIRK: RFC 2046 section 5.1.1: the boundary parameter is missing or wrong.
func guessBoundary(body []byte) []byte {
	for pos := 0; pos < min(len(body), guessBytes); {
		end, next := lineAt(body, pos)
		line := body[pos:end]
		if len(line) > 2 && line[0] == '-' && line[1] == '-' && ascii.HasPrefix(body[next:], "content-") {
			return bytes.TrimRight(line[2:], " \t")
		}
		pos = next
	}
	return nil
}

// guessBytes is how much of a body is searched for a boundary: more than any preamble.
const guessBytes = 16 << 10
