package terminal

import "github.com/rivo/uniseg"

// Width returns how many columns of a terminal s takes: none for what joins the character
// before it, two for most East Asian characters and emoji.
func Width(s string) int { return uniseg.StringWidth(s) }

// Truncate returns s if it takes no more columns than room, and else as much of its beginning
// as leaves room for mark behind it.
func Truncate(s string, room int, mark string) string {
	if Width(s) <= room {
		return s
	}
	room -= Width(mark)
	fits, rest, state, width := 0, s, -1, 0
	for room >= 0 && rest != "" {
		var first string
		first, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= width; room >= 0 {
			fits += len(first)
		}
	}
	return s[:fits] + mark
}
