package mail

import "bytes"

// multipart reads the parts of a multipart body (RFC 2046 section 5.1).
func (s *scan) multipart(p part, body []byte, depth int) {
	marks := len(s.marks)
	mark, pos, last := s.open(p.boundary, body)
	if pos < 0 {
		s.defects |= ErrBoundary
		mark, pos, last = s.open(guessBoundary(body), body)
	}
	if pos < 0 {
		s.prose(p, body)
	} else {
		s.eachPart(mark, body, pos, last, p.media == "multipart/digest", depth)
	}
	s.marks = s.marks[:marks]
}

// open finds the first boundary line of body, and returns what to search for
// to find the others. What stands before the first is not shown to readers and
// gives nothing.
func (s *scan) open(boundary, body []byte) (mark []byte, pos int, last bool) {
	if len(boundary) == 0 || len(boundary) > maxBoundary {
		return nil, -1, false
	}
	n := len(s.marks)
	s.marks = append(append(s.marks, "\n--"...), boundary...)
	mark = s.marks[n:len(s.marks):len(s.marks)]
	_, pos, last = s.boundaryAt(mark, body, 0)
	return mark, pos, last
}

// maxBoundary is the longest boundary that is searched for; RFC 2046 section 5.1.1 has
// 70 characters. A search may compare all of it at every line, and a header has room
// for a boundary that would make that hundreds of comparisons for each byte.
const maxBoundary = 250

// eachPart reads the parts from pos on, where the first begins.
func (s *scan) eachPart(mark, body []byte, pos int, last, digest bool, depth int) {
	for !last && s.parts > 0 {
		end, next, final := s.boundaryAt(mark, body, pos)
		s.inner(body[pos:end], digest, depth+1)
		if next < 0 {
			// QUIRK: RFC 2046 section 5.1.1: the closing boundary is missing; the
			// part reaches to the end.
			s.defects |= ErrBoundary
			return
		}
		pos, last = next, final
	}
	if !last {
		s.defects |= ErrParts
	}
}

// inner reads one part of a multipart.
func (s *scan) inner(raw []byte, digest bool, depth int) {
	fields, kept := len(s.fields), len(s.kept)
	head, body := s.split(raw)
	p := s.describe(head)
	if digest && p.media == "" {
		p.media = "message/rfc822" // RFC 2046 section 5.1.5
	}
	s.part(p, body, depth)
	s.fields, s.kept = s.fields[:fields], s.kept[:kept]
}

// boundaryAt finds the next boundary line of body at or behind pos: end is where
// the part before it ends, next where the part behind it begins, or -1 if there
// is no such line; last says that it closes the multipart.
func (s *scan) boundaryAt(mark, body []byte, pos int) (end, next int, last bool) {
	for from := max(pos-1, 0); ; {
		if s.scanBytes <= 0 {
			s.defects |= ErrParts
			return len(body), -1, false
		}
		at, skip := from, 0
		if from == 0 && bytes.HasPrefix(body, mark[1:]) {
			skip = 1 // the line break lies before the body
		} else {
			n := bytes.Index(body[from:], mark)
			if n < 0 {
				s.scanBytes -= len(body) - from
				return len(body), -1, false
			}
			at += n
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
		if len(line) > 2 && line[0] == '-' && line[1] == '-' && hasPrefixFold(body[next:], "content-") {
			return bytes.TrimRight(line[2:], " \t")
		}
		pos = next
	}
	return nil
}

// guessBytes is how far into a body a boundary is guessed: past any preamble.
const guessBytes = 16 << 10
