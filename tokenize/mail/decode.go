package mail

import (
	"bytes"
	"encoding/base64"

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
	switch encoding {
	case "base64", "quoted-printable", "x-uuencode", "x-uue", "uuencode", "uue":
		return true
	}
	return false
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
