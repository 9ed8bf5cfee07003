package terminal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s safe to show on one line of a terminal: the author of a message or
// of a file name must not be able to write escape sequences or bidirectional overrides.
func Printable(s string) string {
	if IsPrintable(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case shown(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// OrDash returns s as it can be printed, or a dash, so that no cell of a table is empty.
func OrDash(s string) string { return Printable(cmp.Or(s, "-")) }

// IsPrintable reports whether s is valid UTF-8 without control characters and
// bidirectional overrides.
func IsPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !shown(r) })
		}
	}
	return true
}

// shown reports whether a character is safe to show.
func shown(r rune) bool {
	return r == ' ' || unicode.IsPrint(r)
}
