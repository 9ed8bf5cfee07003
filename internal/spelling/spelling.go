// Package spelling finds names that may be mistyped.
package spelling

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// shortest is the length of a name, in characters, from which a difference of one letter
// is more likely a mistake than another name: "en" and "es" are two languages.
const shortest = 3

// Meant returns ` (did you mean "x"?)` for the first x of names that differs from name by one
// slip: a letter missing, added, replaced, two letters swapped, only case, or only how accents are
// composed. It returns "" if there is none. A digit is not a slip: "2025" and "2026" are two years.
func Meant(name string, names []string) string {
	composed := norm.NFC.String(name) // folders of a Mac have "u\u0308" for "ü"
	for _, other := range names {
		if to := norm.NFC.String(other); other != name && (strings.EqualFold(composed, to) || isSlip([]rune(composed), []rune(to))) {
			if to == composed {
				return fmt.Sprintf(" (did you mean %q, whose accents are composed otherwise?)", other)
			}
			return fmt.Sprintf(" (did you mean %q?)", other)
		}
	}
	return ""
}

// isSlip reports whether a and b differ by one slip.
func isSlip(a, b []rune) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) < shortest {
		return false
	}
	start := 0
	for start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	a, b = a[start:len(a)-end], b[start:len(b)-end] // where they differ
	switch {
	case len(a) == 1 && len(b) <= 1:
		return !unicode.IsDigit(a[0]) && (len(b) == 0 || !unicode.IsDigit(b[0]))
	case len(a) == 2 && len(b) == 2:
		return a[0] == b[1] && a[1] == b[0] && !unicode.IsDigit(a[0]) && !unicode.IsDigit(a[1])
	}
	return false
}
