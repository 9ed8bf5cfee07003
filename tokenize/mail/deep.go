package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// deep reads a multipart or message that is nested too deeply, without regard to its
// structure.
func (s *scan) deep(p part, body []byte) {
	s.exceeds("depth")
	outer := s.hint
	for p.kind() == asMessage {
		fields, kept := len(s.fields), len(s.kept)
		p, body = s.header(s.attached(p, body), MaxDepth)
		p.charset = bytes.Clone(p.charset)
		s.hint = p.charset
		s.fields, s.kept = s.fields[:fields], s.kept[:kept]
	}
	if p.kind() == asMultipart {
		s.flat(p, body)
	} else {
		s.part(p, body, MaxDepth)
	}
	s.hint = outer
}

// flat reads a multipart by guessing its boundaries, and with it all nested multiparts.
func (s *scan) flat(p part, body []byte) {
	_, next := flatBoundary(body, 0)
	if next < 0 {
		s.prose(p, body)
		return
	}
	s.eachPart(nil, body, next, false, false, MaxDepth)
}

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
