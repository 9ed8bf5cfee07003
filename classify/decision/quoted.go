package decision

import (
	"strconv"
	"strings"
)

// cutClass cuts the name of a class from the beginning of s, up to one of the bytes in
// ends, which stay in rest. A name with such bytes is written as a Go string in double
// quotes: "a>b". It is empty if there is none.
func cutClass(s, ends string) (class, rest string) {
	if quoted, err := strconv.QuotedPrefix(s); err == nil && s[0] == '"' {
		if name, err := strconv.Unquote(quoted); err == nil {
			return name, s[len(quoted):]
		}
	}
	if at := strings.IndexAny(s, ends); at >= 0 {
		return s[:at], s[at:]
	}
	return s, ""
}
