package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// field is one header field. The name is in lower case; the value is as in the message,
// including folds, which all users treat as white space.
type field struct {
	name  []byte
	value []byte
}

// split finds the header fields of a message or part, and its body. The fields are pushed
// on s.fields, the names on s.kept. Of a part only the fields that describe it are needed.
func (s *scan) split(raw []byte, message bool) (head []field, body []byte) {
	h := header{scan: s, base: len(s.fields), message: message, open: -1}
	pos := 0
	for pos < len(raw) {
		end, next := lineAt(raw, pos)
		line := raw[pos:end]
		switch kind := lineKind(line); {
		case kind == lineBlank, kind == lineSpace && !continues(raw[next:]):
			// QUIRK: RFC 5322 section 2.1 has the body after an empty line; in some messages it is
			// after a line of spaces.
			return h.fit(), raw[next:]
		case kind == lineField:
			name, colon := fieldName(line)
			h.push(name, raw[pos+colon+1:end], pos+colon+1)
		case kind == lineOther && !skippable(line, raw[next:], h.any):
			// QUIRK: RFC 5322 section 2.1: no empty line between header and body.
			return h.fit(), raw[pos:]
		case kind == lineOther:
			// QUIRK: RFC 5322 section 2.2: a line without a colon, or a From line amid the header.
			// go-message gives up on such a message.
			h.open = -1
		case h.open >= 0:
			s.fields[h.open].value = raw[h.from:end]
		}
		pos = next
	}
	return h.fit(), nil
}

// lowered returns b in lower case, on the stack s.kept.
func (s *scan) lowered(b []byte) []byte {
	n := len(s.kept)
	s.kept = ascii.AppendLower(s.kept, b)
	return s.kept[n:len(s.kept):len(s.kept)]
}

func (s *scan) keep(b []byte) []byte {
	n := len(s.kept)
	s.kept = append(s.kept, b...)
	return s.kept[n:len(s.kept):len(s.kept)]
}

// find returns the value of the first field of that name, nil if there is none.
func find(head []field, name string) []byte {
	for i := range head {
		if string(head[i].name) == name {
			return head[i].value
		}
	}
	return nil
}

// The kinds of lines in a header.
const (
	lineBlank = iota // empty: the header is over
	lineSpace        // spaces only
	lineFold         // continues the field above
	lineField        // a name and a colon
	lineOther        // not a header line
)

func lineKind(line []byte) int {
	if len(line) == 0 {
		return lineBlank
	}
	if line[0] == ' ' || line[0] == '\t' {
		for _, c := range line {
			if c != ' ' && c != '\t' && c != '\r' {
				return lineFold
			}
		}
		return lineSpace
	}
	if _, colon := fieldName(line); colon > 0 {
		return lineField
	}
	return lineOther
}

// fieldName returns the field name at the beginning of line and the place of the colon
// after it, 0 without one. Space before the colon is RFC 5322 section 4.5. A colon in
// "://" belongs to a URL.
func fieldName(line []byte) (name []byte, colon int) {
	colon = bytes.IndexByte(line[:min(len(line), maxName+1)], ':')
	if colon <= 0 || bytes.HasPrefix(line[colon:], []byte("://")) {
		return nil, 0
	}
	end := colon
	for end > 0 && (line[end-1] == ' ' || line[end-1] == '\t') {
		end--
	}
	for _, c := range line[:end] {
		if c <= ' ' || c >= 0x7f {
			return nil, 0
		}
	}
	if end == 0 {
		return nil, 0
	}
	return line[:end], colon
}

// maxName is the longest field name; RFC 5322 section 2.1.1 has lines of 78.
const maxName = 78

// continues reports whether rest continues with header lines.
func continues(rest []byte) bool {
	if len(rest) == 0 {
		return false
	}
	end, _ := lineAt(rest, 0)
	kind := lineKind(rest[:end])
	return kind == lineField || kind == lineFold
}

// skippable reports whether a line that is not a field is still in the header: a field
// follows, or fields precede it and it looks like one without its colon.
func skippable(line, rest []byte, inside bool) bool {
	if inside && ascii.HasPrefix(line, "x-") {
		return true
	}
	end, _ := lineAt(rest, 0)
	return lineKind(rest[:end]) == lineField
}

// lineAt returns the end of the line at pos without its line break, and the
// start of the next line.
func lineAt(raw []byte, pos int) (end, next int) {
	n := bytes.IndexByte(raw[pos:], '\n')
	if n < 0 {
		end, next = len(raw), len(raw)
	} else {
		end, next = pos+n, pos+n+1
	}
	for end > pos && raw[end-1] == '\r' {
		end--
	}
	return end, next
}

// strip removes text before a message that does not belong to it.
//
// QUIRK: RFC 4155: mbox From lines ("From a@b Mon Sep 2 16:22:06 2002"), also with ">"
// before them, as mailers leave them in piped messages; a byte order mark; empty lines.
// It is removed only if a header field follows. A message with bare CR for line breaks
// (RFC 5322 section 2.3 forbids them) is copied with LF.
func strip(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	raw = lineFeeds(raw)
	for rest := raw; len(rest) > 0; {
		end, next := lineAt(rest, 0)
		switch line := rest[:end]; {
		case lineKind(line) == lineField:
			return rest
		case len(line) > 0 && !isFromLine(line):
			return raw
		}
		rest = rest[next:]
	}
	return raw
}

func isFromLine(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From "))
}

func lineFeeds(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return bytes.ReplaceAll(raw, []byte("\r"), []byte("\n"))
}
