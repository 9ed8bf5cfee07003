package bombs

import "fmt"

// A bomb is an input made to exhaust its reader.
type bomb struct {
	name string
	make func(n int) []byte // of about n bytes
}

// fill returns head, then unit repeated up to n bytes, then tail.
func fill(head, unit, tail string, n int) []byte {
	b := make([]byte, 0, n+len(head)+len(unit)+len(tail))
	b = append(b, head...)
	for len(b) < n {
		b = append(b, unit...)
	}
	return append(b, tail...)
}

// repeated returns a bomb of one repeated unit.
func repeated(name, head, unit, tail string) bomb {
	return bomb{name, func(n int) []byte { return fill(head, unit, tail, n) }}
}

// counted returns a bomb of units that differ by their number, which format contains twice.
func counted(name, head, format, tail string) bomb {
	return bomb{name, func(n int) []byte {
		b := append(make([]byte, 0, n+len(head)+len(tail)+len(format)+40), head...)
		for i := 0; len(b) < n; i++ {
			b = fmt.Appendf(b, format, i, i)
		}
		return append(b, tail...)
	}}
}

// nested returns a bomb of as many beginnings as ends.
func nested(name, head, begin, middle, end, tail string) bomb {
	return bomb{name, func(n int) []byte {
		depth := n / (len(begin) + len(end))
		b := fill(head, begin, middle, len(head)+depth*len(begin))
		return fill(string(b), end, tail, len(b)+depth*len(end))
	}}
}
