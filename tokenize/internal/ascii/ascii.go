// Package ascii tells ASCII from other text, and lowers its letters.
package ascii

import "encoding/binary"

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
	for _, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
