package terminal

import "github.com/rivo/uniseg"

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
