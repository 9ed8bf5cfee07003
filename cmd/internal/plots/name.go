package plots

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable returns a name from the corpus as one line in which control characters and
// bidirectional overrides are replaced by U+FFFD.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zl, r) && !unicode.Is(unicode.Zp, r) {
			return r
		}
		return utf8.RuneError
	}, strings.ToValidUTF8(s, "\ufffd"))
}
