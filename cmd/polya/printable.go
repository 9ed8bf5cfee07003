package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable returns s as it can be shown on one line of a terminal: whoever
// writes a message or names a file must not get to write escape sequences, or
// to turn the direction of the line.
func printable(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case shown(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return isPrintableText(s)
		}
	}
	return true
}

func isPrintableText(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !shown(r) {
			return false
		}
	}
	return true
}

func shown(r rune) bool {
	return r == ' ' || unicode.IsPrint(r)
}
