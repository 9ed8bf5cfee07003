package mail

// undo appends src with its transfer encoding undone (RFC 2045 section 6) to dst. ok is
// false when something had to be skipped.
func undo(dst, src []byte, encoding string) (out []byte, ok bool) {
	switch encoding {
	case "base64":
		return appendBase64(dst, src)
	case "quoted-printable":
		return appendQuotedPrintable(dst, src, false)
	}
	return appendUuencoded(dst, src)
}

// coded reports whether a transfer encoding needs undoing. What is not known is
// taken as it is, which is what 7bit, 8bit and binary ask for.
func coded(encoding string) bool {
	return encoding == "base64" || encoding == "quoted-printable" || uuencoded(encoding)
}

// uuencoded reports whether a transfer encoding is that of uuencode.
//
// QUIRK: RFC 2045 section 6.3: a name of one's own begins with "x-", and nobody agreed
// on this one.
func uuencoded(encoding string) bool {
	switch encoding {
	case "x-uuencode", "x-uue", "uuencode", "uue":
		return true
	}
	return false
}

// Values of bytes in sixtyFour that are no digit.
const (
	padding = 64 + iota
	space
	foreign
)

var sixtyFour, hex = digitValues()

func digitValues() (sixtyFour, hex [256]byte) {
	for i := range sixtyFour {
		sixtyFour[i], hex[i] = foreign, 0xff
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		sixtyFour[c] = byte(i)
	}
	// QUIRK: RFC 4648 section 5, the alphabet for URLs, is read too.
	sixtyFour['-'], sixtyFour['_'] = 62, 63
	sixtyFour['='] = padding
	for _, c := range []byte(blank) {
		sixtyFour[c] = space
	}
	for i, c := range []byte("0123456789abcdef") {
		hex[c] = byte(i)
	}
	for i, c := range []byte("ABCDEF") {
		hex[c] = byte(10 + i)
	}
	return sixtyFour, hex
}

// appendBase64 appends the bytes that src stands for.
//
// QUIRK: RFC 2045 section 6.8: foreign bytes are skipped, padding may be missing
// or stand in the middle, where one encoded text ends and another begins.
func appendBase64(dst, src []byte) (out []byte, ok bool) {
	var bits uint32
	digits, ok := 0, true
	for i := 0; i < len(src); i++ {
		if digits == 0 {
			dst, i = appendQuads(dst, src, i)
			if i == len(src) {
				break
			}
		}
		v := sixtyFour[src[i]]
		switch {
		case v < 64:
			bits = bits<<6 | uint32(v)
			if digits++; digits == 4 {
				dst = append(dst, byte(bits>>16), byte(bits>>8), byte(bits))
				bits, digits = 0, 0
			}
		case v == padding:
			dst = appendRest(dst, bits, digits)
			bits, digits = 0, 0
		case v == foreign:
			ok = false
		}
	}
	return appendRest(dst, bits, digits), ok && digits == 0
}

// appendQuads decodes groups of four digits from src[i:] on, as long as nothing
// else is among them, and returns where it stopped.
func appendQuads(dst, src []byte, i int) ([]byte, int) {
	for i+4 <= len(src) {
		a, b, c, d := sixtyFour[src[i]], sixtyFour[src[i+1]], sixtyFour[src[i+2]], sixtyFour[src[i+3]]
		if a|b|c|d >= 64 {
			break
		}
		dst = append(dst, a<<2|b>>4, b<<4|c>>2, c<<6|d)
		i += 4
	}
	return dst, i
}

// appendRest appends the whole bytes among 0 to 3 digits.
func appendRest(dst []byte, bits uint32, digits int) []byte {
	switch digits {
	case 2:
		return append(dst, byte(bits>>4))
	case 3:
		return append(dst, byte(bits>>10), byte(bits>>2))
	}
	return dst
}

// appendQuotedPrintable appends the bytes that src stands for. In an encoded
// word (RFC 2047 section 4.2) "_" is a space.
//
// QUIRK: RFC 2045 section 6.7: "=" without two hexadecimal digits stays.
func appendQuotedPrintable(dst, src []byte, word bool) (out []byte, ok bool) {
	ok = true
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '_' && word:
			c = ' '
		case c != '=':
		case i+2 < len(src) && hex[src[i+1]] < 16 && hex[src[i+2]] < 16:
			c = hex[src[i+1]]<<4 | hex[src[i+2]]
			i += 2
		default:
			if n := softBreak(src[i+1:]); n > 0 {
				i += n
				continue
			}
			ok = false
		}
		dst = append(dst, c)
	}
	return dst, ok
}

// softBreak is the length of the line break, with spaces before it, that b
// begins with. 0 is none. The end of the text is one too.
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

// maxSoft is how many spaces stand before a soft line break, so that a text of
// nothing but "= " stays linear.
const maxSoft = 80
