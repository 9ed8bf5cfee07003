package terminal

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
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
		case unicode.IsPrint(r):
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
	return !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) })
}

// Width returns how many columns of a terminal s takes: none for what joins the character
// before it, two for most East Asian characters and emoji.
func Width(s string) int { return uniseg.StringWidth(s) }

// Truncate returns s if it fits into so many columns, and else its beginning and mark, which
// fit.
func Truncate(s string, columns int, mark string) string {
	if Width(s) <= columns {
		return s
	}
	columns -= Width(mark)
	fits, rest, state, width := 0, s, -1, 0
	for columns >= 0 && rest != "" {
		var first string
		first, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if columns -= width; columns >= 0 {
			fits += len(first)
		}
	}
	return s[:fits] + mark
}

// ShellWords quotes words for a POSIX shell.
func ShellWords(words ...string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%+,-./:=@_", r)
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word, special) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " ")
}

// Grouped writes a number with commas, 16,384.
func Grouped[N int | int64 | uint64 | float64](n N) string {
	s := strconv.FormatUint(uint64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted writes a number of things, "1 class" or "20 classes".
func Counted[N int | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Signed writes log-odds with a sign and three decimals.
func Signed(x float64) string { return Decimals(x, "%+.3f") }

// Decimals formats a number, NaN as a dash, and 0 rather than -0.000.
func Decimals(x float64, format string) string {
	if math.IsNaN(x) {
		return "-"
	}
	text, zero := fmt.Sprintf(format, x), fmt.Sprintf(format, 0.)
	if strings.TrimLeft(text, "+-") == strings.TrimLeft(zero, "+-") {
		return zero
	}
	return text
}
