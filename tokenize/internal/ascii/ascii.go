// Package ascii finds ASCII text, and lowers its letters.
package ascii

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Prefix returns the number of bytes before the first one above 0x7F.
func Prefix(text []byte) int {
	i := 0
	for i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&0x8080808080808080 == 0 {
		i += 8
	}
	for i < len(text) && text[i] < 0x80 {
		i++
	}
	return i
}

// AppendLower appends b to dst with the letters of ASCII in lower case.
func AppendLower(dst, b []byte) []byte {
	n := len(dst)
	dst = append(dst, b...)
	Lower(dst[n:], b, len(b))
	return dst
}

// The following functions process eight bytes at a time, as one number: ones times c is c in each.
const (
	ones = 0x0101010101010101
	high = 0x80 * ones
)

// letters returns the high bit of each byte of x that is a letter.
func letters(x uint64) uint64 { return within(x|0x20*ones, 'a', 'z') }

// within returns the high bit of each byte of x from first to last, which are ASCII.
func within(x, first, last uint64) uint64 {
	low := x &^ high
	return (low + (0x80-first)*ones) &^ (low + (0x7f-last)*ones) &^ x & high
}

// Word returns the ASCII letters at the beginning of eight bytes, the first byte lowest, in lower
// case and padded with zeros, and their number.
func Word(x uint64) (lower uint64, n int) {
	is := letters(x)
	n = bits.TrailingZeros64(^is&high) / 8
	return (x | is>>2) & (1<<(8*n) - 1), n
}

// Alphanumeric returns the number of ASCII letters and digits at the beginning of text, and
// whether there are digits among them.
func Alphanumeric(text []byte) (n int, digits bool) {
	for ; n < len(text); n++ {
		c := text[n]
		if '0' <= c && c <= '9' {
			digits = true
		} else if c |= 0x20; c < 'a' || 'z' < c {
			break
		}
	}
	return n, digits
}

// Lower writes the first n bytes of text to dst with the letters of ASCII in lower case.
func Lower(dst, text []byte, n int) {
	dst = dst[:n]
	for i, c := range text[:n] {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst[i] = c
	}
}

// HasPrefix reports whether text begins, in any case, with an ASCII prefix.
func HasPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && bytes.EqualFold(text[:len(prefix)], []byte(prefix))
}

// Hex returns the value of a hexadecimal digit, and 16 of any other byte.
func Hex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// AppendPercent appends b to dst with each %XX decoded.
func AppendPercent(dst, b []byte) []byte {
	for {
		n := bytes.IndexByte(b, '%')
		if n < 0 {
			return append(dst, b...)
		}
		dst, b = append(dst, b[:n]...), b[n:]
		c, n := byte('%'), 1
		if len(b) > 2 && Hex(b[1]) < 16 && Hex(b[2]) < 16 {
			c, n = Hex(b[1])<<4|Hex(b[2]), 3
		}
		dst, b = append(dst, c), b[n:]
	}
}
