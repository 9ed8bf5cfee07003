package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// multipart reads the parts of a multipart body (RFC 2046 section 5.1). Of one that is nested too
// deeply the boundaries are guessed, and with them those of all multiparts in it. The preamble
// before the first is not shown to readers and gives no terms.
func (s *scan) multipart(p part, body []byte, depth int) {
	boundary := p.boundary
	switch {
	case depth >= MaxDepth:
		s.exceeds("depth")
		boundary = nil
	case len(boundary) == 0:
		boundary = guessBoundary(body)
	case len(boundary) > MaxBoundary:
		s.exceeds("boundary")
	}
	_, pos, last := s.boundaryAt(boundary, body, 0)
	if pos < 0 && boundary != nil {
		boundary = guessBoundary(body)
		_, pos, last = s.boundaryAt(boundary, body, 0)
	}
	if pos < 0 {
		s.prose(p, body)
	} else if !last {
		s.eachPart(boundary, body, pos, p.media == "multipart/digest", depth+1)
	}
}

// eachPart reads the parts from pos on, where the first begins.
//
// QUIRK: RFC 2046 section 5.1.1: without a closing boundary a part reaches to the end.
func (s *scan) eachPart(boundary, body []byte, pos int, digest bool, depth int) {
	for last := false; pos >= 0 && !last; {
		var end, next int
		end, next, last = s.boundaryAt(boundary, body, pos)
		raw := body[pos:end]
		pos = next
		if s.parts--; s.parts >= 0 {
			s.inner(raw, digest, depth)
			continue
		}
		hint := s.hint // not a clone: each of many parts would keep one of a long charset
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

// boundaryAt finds the next boundary line of body at or behind pos, which begins a line: end is the
// end of the part before it, next the beginning of the part after it, or -1 if there is no such
// line; last says that it closes the multipart. Without a boundary, and after MaxScan bytes, it
// guesses: a line beginning with "--" above an empty line or a field Content-… .
func (s *scan) boundaryAt(boundary, body []byte, pos int) (end, next int, last bool) {
	for at := pos; ; {
		from := at
		if !bytes.HasPrefix(body[at:], dashes) {
			if n := bytes.Index(body[at:], lineOfDashes); n >= 0 {
				at += n + 1
			} else {
				at = len(body)
			}
		}
		eol, next := lineAt(body, at)
		if s.scanBytes -= next - from; s.scanBytes <= 0 && boundary != nil {
			s.exceeds("scan")
			boundary, at = nil, pos
			continue
		}
		if at == len(body) {
			return at, -1, false
		}
		found := false
		if boundary == nil {
			below, _ := lineAt(body, next)
			found = below == next || ascii.HasPrefix(body[next:], "content-")
		} else if rest, ok := bytes.CutPrefix(body[at+len(dashes):eol], boundary); ok && len(boundary) > 0 {
			rest = bytes.TrimRight(rest, " \t")
			last = string(rest) == "--"
			found = last || len(rest) == 0
		}
		if !found {
			at = eol
			continue
		}
		if end = at; end > pos {
			end -= len("\n")
		}
		if end > pos && body[end-1] == '\r' {
			end--
		}
		return end, next, last
	}
}

var dashes, lineOfDashes = []byte("--"), []byte("\n--")

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
	return body[:0] // which is no boundary
}

// guessBytes is how much of a body is searched for a boundary: more than any preamble.
const guessBytes = 16 << 10
