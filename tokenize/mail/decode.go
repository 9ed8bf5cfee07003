package mail

import (
	"bytes"
	"encoding/base64"
	"slices"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
)

// undo appends src with its transfer encoding undone (RFC 2045 section 6) to dst.
func undo(dst, src []byte, encoding string) []byte {
	switch encoding {
	case "base64":
		return appendBase64(dst, src)
	case "quoted-printable":
		return appendQuotedPrintable(dst, src, false)
	}
	return appendUuencoded(dst, src)
}

// coded reports whether a transfer encoding needs decoding. Unknown encodings are treated
// like 7bit, 8bit and binary, which do not.
//
// QUIRK: RFC 2045 section 6.3: private names begin with "x-", and programs use several
// for uuencode.
func coded(encoding string) bool {
	return slices.Contains([]string{"base64", "quoted-printable", "x-uuencode", "x-uue", "uuencode", "uue"}, encoding)
}

// Values in sixtyFour of bytes that are not digits.
const (
	padding = 64 + iota
	foreign
)

var sixtyFour = digitValues()

func digitValues() (sixtyFour [256]byte) {
	for i := range sixtyFour {
		sixtyFour[i] = foreign
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		sixtyFour[c] = byte(i)
	}
	// QUIRK: RFC 4648 section 5: the alphabet for URLs is accepted too.
	sixtyFour['-'], sixtyFour['_'] = 62, 63
	sixtyFour['='] = padding
	return sixtyFour
}

// appendBase64 appends the bytes that src encodes.
//
// QUIRK: RFC 2045 section 6.8: foreign bytes are skipped; padding may be missing, or be
// in the middle, between two encoded texts.
func appendBase64(dst, src []byte) []byte {
	if whole, err := base64.StdEncoding.AppendDecode(dst, src); err == nil {
		return whole // most by far
	}
	bits, digits := uint32(0), 0
	for _, c := range src {
		switch v := sixtyFour[c]; {
		case v < 64:
			bits = bits<<6 | uint32(v)
			if digits++; digits == 4 {
				dst = append(dst, byte(bits>>16), byte(bits>>8), byte(bits))
				bits, digits = 0, 0
			}
		case v == padding:
			dst = appendRest(dst, bits, digits)
			bits, digits = 0, 0
		}
	}
	return appendRest(dst, bits, digits)
}

// appendRest appends the whole bytes in 0 to 3 digits.
func appendRest(dst []byte, bits uint32, digits int) []byte {
	switch digits {
	case 2:
		return append(dst, byte(bits>>4))
	case 3:
		return append(dst, byte(bits>>10), byte(bits>>2))
	}
	return dst
}

// appendQuotedPrintable appends the bytes that src encodes. In an encoded word (RFC 2047
// section 4.2) "_" is a space.
//
// QUIRK: RFC 2045 section 6.7: "=" without two hexadecimal digits stays.
func appendQuotedPrintable(dst, src []byte, word bool) []byte {
	special := "="
	if word {
		special = "=_"
	}
	for {
		n := bytes.IndexAny(src, special)
		if n < 0 {
			return append(dst, src...)
		}
		dst, src = append(dst, src[:n]...), src[n:]
		n = 1
		switch {
		case src[0] == '_':
			dst = append(dst, ' ')
		case len(src) > 2 && ascii.Hex(src[1]) < 16 && ascii.Hex(src[2]) < 16:
			dst = append(dst, ascii.Hex(src[1])<<4|ascii.Hex(src[2]))
			n = 3
		default:
			if soft := softBreak(src[1:]); soft > 0 {
				n += soft
			} else {
				dst = append(dst, '=')
			}
		}
		src = src[n:]
	}
}

// softBreak returns the length of the line break, with spaces before it, at the beginning
// of b; 0 if there is none. The end of the text counts as one.
func softBreak(b []byte) int {
	for i, c := range b {
		switch c {
		case '\n':
			return i + 1
		case ' ', '\t', '\r':
		default:
			return 0
		}
		if i > maxSoft {
			return 0
		}
	}
	return len(b)
}

// maxSoft bounds the spaces before a soft line break, so that decoding a text of "= "
// stays linear.
const maxSoft = 80

// appendUuencoded appends the bytes that a uuencoded text encodes. It skips lines outside
// of "begin" and "end", and invalid ones.
func appendUuencoded(dst, src []byte) []byte {
	for line := range bytes.Lines(src) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && !isBegin(line) && string(line) != "end" && isEncoded(line) {
			dst = appendUULine(dst, line)
		}
	}
	return dst
}

// appendUULine appends the bytes of one line: its length, and four characters for three
// bytes. Spaces at its end may be lost.
func appendUULine(dst, line []byte) []byte {
	size := int(line[0]-' ') & 63
	line = line[1:]
	end := len(dst) + size
	for len(dst) < end {
		var four [4]byte
		for i, c := range line[:min(4, len(line))] {
			four[i] = (c - ' ') & 63
		}
		dst = append(dst, four[0]<<2|four[1]>>4, four[1]<<4|four[2]>>2, four[2]<<6|four[3])
		line = line[min(4, len(line)):]
	}
	return dst[:end]
}

// unflowed returns text of format=flowed with delsp=yes (RFC 3676 section 4.2) with lines
// joined that were broken for transport: those that end with a space, which is removed,
// as are the quote marks of the next line.
func (s *scan) unflowed(text []byte) []byte {
	s.joined = s.joined[:0]
	for pos := 0; pos < len(text); {
		end, next := lineAt(text, pos)
		line := text[pos:end]
		pos = next
		if len(line) == 0 || line[len(line)-1] != ' ' || string(line) == "-- " {
			s.joined = append(append(s.joined, line...), '\n')
			continue
		}
		s.joined = append(s.joined, line[:len(line)-1]...)
		for pos < len(text) && text[pos] == '>' {
			pos++
		}
		if pos < len(text) && text[pos] == ' ' {
			pos++ // RFC 3676 section 4.4, space-stuffing
		}
	}
	return bytes.TrimRight(s.joined, "\n")
}

// unfolded returns the text of a calendar or a card (RFC 5545 section 3.1, RFC 6350 section
// 3.2) with folded lines joined, and with line breaks in place of those written as "\n".
func (s *scan) unfolded(text []byte) []byte {
	s.joined = s.joined[:0]
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case bytes.HasPrefix(rest, []byte("\r\n ")), bytes.HasPrefix(rest, []byte("\r\n\t")):
			i += 2
		case bytes.HasPrefix(rest, []byte("\n ")), bytes.HasPrefix(rest, []byte("\n\t")):
			i++
		case rest[0] == '\\' && len(rest) > 1:
			if i++; rest[1]|0x20 == 'n' {
				s.joined = append(s.joined, '\n')
			} else {
				s.joined = append(s.joined, rest[1])
			}
		default:
			s.joined = append(s.joined, rest[0])
		}
	}
	return s.joined
}
