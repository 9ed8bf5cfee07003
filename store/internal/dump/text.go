package dump

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Escape makes s safe between tabs and newlines: control characters, the
// backslash and bytes that are not UTF-8 become \xNN.
func Escape(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f && s[i] != '\\'
	}
	if clean {
		return s
	}
	var b []byte
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r < ' ' || r == 0x7f || r == '\\' || (r == utf8.RuneError && size == 1) {
			b = fmt.Appendf(b, `\x%02x`, s[0])
		} else {
			b = append(b, s[:size]...)
		}
		s = s[size:]
	}
	return string(b)
}

// Unescape reads what Escape wrote, and returns false if s is malformed.
func Unescape(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i+3 >= len(s) || s[i+1] != 'x' {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(n))
		i += 3
	}
	return string(b), true
}
