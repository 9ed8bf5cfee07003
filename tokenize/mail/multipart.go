package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// multipart reads the parts of a multipart body (RFC 2046 section 5.1). Of one that is nested too
// deeply the boundaries are guessed, and with them those of all multiparts in it.
func (s *scan) multipart(p part, body []byte, depth int) {
	marks := len(s.marks)
	var mark []byte
	pos, last := -1, false
	if depth >= MaxDepth {
		s.exceeds("depth")
		_, pos = flatBoundary(body, 0)
	} else if mark, pos, last = s.open(p.boundary, body); pos < 0 {
		mark, pos, last = s.open(guessBoundary(body), body)
	}
	if pos < 0 {
		s.prose(p, body)
	} else if !last {
		s.eachPart(mark, body, pos, p.media == "multipart/digest", depth+1)
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

// eachPart reads the parts from pos on, where the first begins; without a mark their boundaries
// are guessed.
//
// QUIRK: RFC 2046 section 5.1.1: without a closing boundary a part reaches to the end.
func (s *scan) eachPart(mark, body []byte, pos int, digest bool, depth int) {
	for last := false; pos >= 0 && !last; {
		var end, next int
		if mark == nil {
			end, next = flatBoundary(body, pos)
		} else {
			end, next, last = s.boundaryAt(mark, body, pos)
		}
		raw := body[pos:end]
		pos = next
		if s.parts--; s.parts >= 0 {
			s.inner(raw, digest, depth)
			continue
		}
		hint := bytes.Clone(s.hint)
		s.postpone(0, func() {
			s.hint = hint
			s.inner(raw, digest, depth)
		})
	}
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
// line; last says that it closes the multipart. After MaxScan bytes it guesses.
func (s *scan) boundaryAt(mark, body []byte, pos int) (end, next int, last bool) {
	for from := max(pos-1, 0); ; {
		if s.scanBytes <= 0 {
			s.exceeds("scan")
			end, next = flatBoundary(body, pos)
			return end, next, false
		}
		at, skip := from, 0
		if from == 0 && bytes.HasPrefix(body, mark[1:]) {
			skip = 1 // the line break is before the body
		} else {
			n := bytes.Index(body[from:], mark[:min(len(mark), MaxBoundary)])
			if n < 0 {
				if s.scanBytes -= len(body) - from; s.scanBytes > 0 {
					return len(body), -1, false
				}
				continue
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

// flatBoundary is boundaryAt for guessed boundaries: a line beginning with "--" above an
// empty line or a field Content-… .
func flatBoundary(body []byte, pos int) (end, next int) {
	for at := pos; at < len(body); {
		if at > 0 || !bytes.HasPrefix(body, dashes) {
			n := bytes.Index(body[max(at-1, 0):], flatMark)
			if n < 0 {
				break
			}
			at = max(at-1, 0) + n + 1
		}
		eol, below := lineAt(body, at)
		if after, _ := lineAt(body, below); after == below || ascii.HasPrefix(body[below:], "content-") {
			for end = at; end > pos && (body[end-1] == '\n' || body[end-1] == '\r'); end-- {
			}
			return end, below
		}
		at = max(eol, at+1)
	}
	return len(body), -1
}

var dashes, flatMark = []byte("--"), []byte("\n--")
