package header

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/polya-classifier/polya/serve/backend"
)

// Class is the name of the field that says what polya takes a message for.
const Class = "X-Polya-Class"

// Ours reports whether a name, in lower case, is of a field that polya adds.
func Ours(name string) bool { return strings.HasPrefix(name, "x-polya-") }

// Verdict is the field that says what polya takes a message for: its class, or unsure
// and the likeliest class.
func Verdict(a backend.Answer) Field {
	if a.Unsure {
		return Field{Class, fmt.Sprintf("unsure; likeliest=%s; probability=%.4f", Clean(a.Class), a.Probability)}
	}
	return Field{Class, fmt.Sprintf("%s; probability=%.4f", Clean(a.Class), a.Probability)}
}

// Clean is a name as it may stand in a field: a semicolon, which ends it there, and what
// cannot be printed are an underline.
func Clean(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ';' || r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, name)
}
