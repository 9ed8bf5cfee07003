package settings

import (
	"fmt"
	"regexp"
	"strings"
)

// lines maps keys to their lines in a file. Keys are written with the number of the table
// in its array: "spamd[1].address". The decoder knows the lines of syntax errors only.
type lines map[string]int

// find returns the line of a key, or of its table.
func (l lines) find(key string) int {
	for key != "" {
		if n := l[key]; n > 0 {
			return n
		}
		key = key[:max(strings.LastIndexByte(key, '.'), strings.LastIndexByte(key, '['), 0)]
	}
	return 0
}

// all returns the lines of a key in every table of an array, or of its table.
func (l lines) all(name string) (found []int) {
	number := regexp.MustCompile(`\[[0-9]+\]`)
	for ; name != ""; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
		for key, line := range l {
			if number.ReplaceAllString(key, "") == name {
				found = append(found, line)
			}
		}
		if found != nil {
			return found
		}
	}
	return []int{0}
}

// linesOf reads text, which is TOML that the decoder has read.
func linesOf(text string) lines {
	l := lines{}
	tables := map[string]int{} // number of tables of each array so far
	prefix, quote, depth := "", "", 0
	n := 0
	for line := range strings.Lines(text) {
		n++
		if quote == "" && depth == 0 {
			trimmed := strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(trimmed, "[["):
				name, _, _ := strings.Cut(trimmed[2:], "]]")
				within, last := numbered(name, tables)
				key := join(within, last)
				prefix = fmt.Sprintf("%s[%d]", key, tables[key])
				tables[key]++
				l[prefix] = n
				continue
			case strings.HasPrefix(trimmed, "["):
				name, _, _ := strings.Cut(trimmed[1:], "]")
				prefix = join(numbered(name, tables))
				l[prefix] = n
				continue
			case trimmed != "" && trimmed[0] != '#':
				name, _, _ := strings.Cut(trimmed, "=")
				l[join(prefix, clean(name))] = n
			}
		}
		quote, depth = skip(line, quote, depth)
	}
	return l
}

// numbered returns the name of a table, with the number of the last table for each array
// in it, in two parts: the enclosing table, and the last name.
func numbered(name string, tables map[string]int) (within, last string) {
	parts := strings.Split(clean(name), ".")
	for _, part := range parts[:len(parts)-1] {
		within = join(within, part)
		if n := tables[within]; n > 0 {
			within = fmt.Sprintf("%s[%d]", within, n-1)
		}
	}
	return within, parts[len(parts)-1]
}

// clean returns a key without spaces and quotation marks.
func clean(key string) string {
	return strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "").Replace(key)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// skip returns the kind of quotation marks, and the depth of brackets, at the end of a line.
func skip(line, quote string, depth int) (string, int) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case quote != "":
			if strings.HasPrefix(rest, quote) {
				i += len(quote) - 1
				quote = ""
			} else if line[i] == '\\' && quote[0] == '"' {
				i++
			}
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "'''"):
			quote, i = rest[:3], i+2
		case line[i] == '"' || line[i] == '\'':
			quote = rest[:1]
		case line[i] == '#':
			return quote, depth
		case line[i] == '[' || line[i] == '{':
			depth++
		case line[i] == ']' || line[i] == '}':
			depth--
		}
	}
	return quote, depth
}
