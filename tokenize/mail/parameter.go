package mail

import (
	"bytes"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// parameter returns the value of a parameter of a structured field (RFC 2045
// section 5.1), put together and decoded if it comes in pieces (RFC 2231). It is
// valid until the next call.
//
// QUIRK: RFC 2045 section 5.1: spaces around "=", unquoted values with spaces or
// specials, and a missing closing quote are read as they were meant.
func (s *scan) parameter(value []byte, name string) []byte {
	out := s.param[:0]
	for rest := afterSemicolon(value); len(rest) > 0; {
		var key, val []byte
		key, val, rest = nextParameter(rest)
		if !ascii.HasPrefix(key, name) {
			continue
		}
		star := key[len(name):]
		switch {
		case len(star) == 0 && len(out) == 0:
			out = appendUnquoted(out, val)
			rest = nil
		case len(star) == 0 || star[0] != '*':
			continue
		case star[len(star)-1] == '*':
			out = appendPercent(out, val, len(out) == 0)
		default:
			out = appendUnquoted(out, val)
		}
	}
	s.param = out
	return out
}

// nextParameter returns the parameter at the beginning of b, and the rest.
func nextParameter(b []byte) (key, value, rest []byte) {
	n := bytes.IndexAny(b, "=;")
	if n < 0 {
		return nil, nil, nil
	}
	if b[n] == ';' {
		return nil, nil, b[n+1:]
	}
	key = bytes.Trim(b[:n], blank)
	b = bytes.TrimLeft(b[n+1:], blank)
	end := valueEnd(b)
	return key, bytes.TrimRight(b[:end], blank), afterSemicolon(b[end:])
}

// valueEnd returns the length of the parameter value at the beginning of b.
func valueEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		value, _, _ := bytes.Cut(b, []byte(";"))
		return len(value)
	}
	if n := quoteEnd(b); n >= 0 {
		return n + 1
	}
	return len(b)
}

func afterSemicolon(b []byte) []byte {
	_, rest, _ := bytes.Cut(b, []byte(";"))
	return rest
}

// appendUnquoted appends a value without its quotes and backslashes.
func appendUnquoted(dst, b []byte) []byte {
	if len(b) == 0 || b[0] != '"' {
		return append(dst, b...)
	}
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == '"':
			return dst
		case b[i] == '\\' && i+1 < len(b):
			i++
		}
		dst = append(dst, b[i])
	}
	return dst
}

// appendPercent appends an extended value (RFC 2231 section 4), whose first piece begins
// with charset'language'. The charset is detected from the bytes, which are UTF-8 in
// practice.
func appendPercent(dst, b []byte, first bool) []byte {
	b = bytes.Trim(b, `"`)
	if first {
		for range 2 {
			if n := bytes.IndexByte(b, '\''); n >= 0 {
				b = b[n+1:]
			}
		}
	}
	return ascii.AppendPercent(dst, b)
}
