package dump

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/polya-classifier/polya/store/count"
)

// fields reads the fields of a line. Once one is missing or not what it must be, err stays set and
// all that is read is meaningless.
type fields struct {
	rest []string
	err  *error
}

// fail sets err, unless it is set already.
func (f *fields) fail(err error) {
	if *f.err == nil {
		*f.err = err
	}
}

func (f *fields) failf(format string, args ...any) {
	f.fail(fmt.Errorf("%w: %s", count.ErrInvalid, fmt.Sprintf(format, args...)))
}

// next reads a field as it is.
func (f *fields) next() string {
	if len(f.rest) == 0 {
		f.failf("a field is missing")
		return ""
	}
	s := f.rest[0]
	f.rest = f.rest[1:]
	return s
}

// more returns whether there is another field to read, and all was what it must be: what follows a
// mistake would only take memory.
func (f *fields) more() bool { return len(f.rest) > 0 && *f.err == nil }

// end returns whether all has been read and was what it must be.
func (f *fields) end() bool {
	if len(f.rest) > 0 {
		f.failf("%.40q is a field too many", f.rest[0])
	}
	return *f.err == nil
}

// number reads a number of up to 62 bits.
func (f *fields) number() uint64 {
	s := f.next()
	n, err := strconv.ParseUint(s, 10, 62)
	if err != nil {
		f.failf("%.20q is not a count", s)
	}
	return n
}

// text reads what Escape wrote.
func (f *fields) text() string {
	field := f.next()
	s, ok := Unescape(field)
	if !ok {
		f.failf("bad escape in %.40q", field)
	}
	return s
}

func (f *fields) exact() count.Exact {
	x, err := count.ParseExact(f.next())
	f.fail(err)
	return x
}

// split reads a field of two parts, the second of which may be several, and returns them.
func (f *fields) split(by, others string) *fields {
	field := f.next()
	head, tail, ok := strings.Cut(field, by)
	if !ok {
		f.failf("%.40q has no %q", field, by)
	}
	return &fields{append([]string{head}, strings.Split(tail, others)...), f.err}
}

// Escape makes s safe between tabs and newlines, and on a terminal: control characters,
// those that turn the order of letters, the backslash and bytes that are not UTF-8 become \xNN.
func Escape(s string) string {
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		clean = s[i] >= ' ' && s[i] < 0x7f && s[i] != '\\'
	}
	if clean {
		return s
	}
	var b []byte
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\\' || (r == utf8.RuneError && size == 1) {
			for i := range size {
				b = fmt.Appendf(b, `\x%02x`, s[i])
			}
		} else {
			b = append(b, s[:size]...)
		}
		s = s[size:]
	}
	return string(b)
}

// Unescape reads what Escape wrote, and returns false if s is malformed.
func Unescape(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i+3 >= len(s) || s[i+1] != 'x' {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+2:i+4], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(n))
		i += 3
	}
	return string(b), true
}

// LineError is returned where a line of a dump is wrong.
type LineError struct {
	Line int // counted from 1
	Err  error
}

// Error names the line.
func (e *LineError) Error() string { return fmt.Sprintf("dump, line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }
