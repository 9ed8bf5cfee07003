// Package header puts a filter's result into the header of a message and removes forged
// fields of the same names. Every other byte stays as received: line ends of either kind,
// a From_ line, 8-bit text, no newline at the end, no header at all.
package header

import (
	"bytes"
	"strings"
)

// A Field is a field of a header. Its value has no line end, or is folded.
type Field struct{ Name, Value string }

// Edit returns a message with add before its own fields, in two parts to write one after
// the other: the header with the empty line that ends it, and the body, which aliases the
// end of message. Fields whose name, in lower case, forged reports are left out, as far
// as the first empty line, whether a line ends with LF or with CR alone: programs differ
// in what ends a line, and in whether a line that is no field ends the header. The new
// fields stand first, after a From_ line, where no program misses them.
func Edit(message []byte, add []Field, forged func(name string) bool) (head, body []byte) {
	end := headerEnd(message)
	start := fromLines(message[:end])
	e := editor{out: make([]byte, 0, end+200)}
	e.out = append(e.out, message[:start]...)
	newline := lineEnd(message[start:], message[:start])
	for _, f := range add {
		e.out = append(append(append(append(e.out, f.Name...), ": "...), f.Value...), newline...)
	}
	// A header that starts like a folded line would continue the last of our fields.
	// Programs disagree about such a header anyway; an empty line separates it.
	if len(add) > 0 && start < end && blank(message[start]) {
		e.out = append(e.out, newline...)
	}
	e.start = len(e.out)
	e.copy(message[start:end], forged)
	return e.out, message[end:]
}

// Each calls f with the name in lower case and the value, folded as received, of each field
// of a message, until f returns false. Names are as Edit understands them.
func Each(message []byte, f func(name string, value []byte) bool) {
	for header := message[:headerEnd(message)]; len(header) > 0; {
		text, end := nextField(header)
		if name := fieldName(header[:text]); name != "" && !f(name, header[bytes.IndexByte(header, ':')+1:text]) {
			return
		}
		header = header[end:]
	}
}

// headerEnd returns where the body starts: after the first empty line, or at the end.
func headerEnd(message []byte) int {
	for at := 0; at < len(message); {
		rest := message[at:]
		if rest[0] == '\n' {
			return at + 1
		}
		if rest[0] == '\r' && len(rest) > 1 && rest[1] == '\n' {
			return at + 2
		}
		newline := bytes.IndexByte(rest, '\n')
		if newline < 0 {
			break
		}
		at += newline + 1
	}
	return len(message)
}

// fromLines returns the length of the From_ line of a mailbox and of >From_ lines after it.
func fromLines(header []byte) int {
	line := bytes.IndexByte(header, '\n') + 1
	if line == 0 || !bytes.HasPrefix(header, []byte("From ")) || fieldName(header[:line]) == "from" {
		return 0
	}
	at := line
	for bytes.HasPrefix(header[at:], []byte(">From ")) {
		if line = bytes.IndexByte(header[at:], '\n') + 1; line == 0 {
			break
		}
		at += line
	}
	return at
}

// lineEnd returns the end of the first line, in the first text that has one.
func lineEnd(texts ...[]byte) string {
	for _, text := range texts {
		if at := bytes.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
			return "\r\n"
		} else if at >= 0 {
			return "\n"
		}
	}
	return "\n"
}

// An editor copies a header. From start on, out is the header's own.
type editor struct {
	out   []byte
	start int
}

// copy appends the header without the fields that are forged.
func (e *editor) copy(header []byte, forged func(string) bool) {
	for len(header) > 0 {
		text, end := nextField(header)
		if name := fieldName(header[:text]); name != "" && forged(name) {
			e.leaveOut(header[text:end])
		} else {
			e.out = append(e.out, header[:end]...)
		}
		header = header[end:]
	}
}

// leaveOut leaves out a field with the given line end. If the field started after a lone CR, a
// program that knows only LF reads it as part of the line before, and that line keeps its end.
func (e *editor) leaveOut(end []byte) {
	if e.atLine() {
		return
	}
	for len(e.out) > e.start && e.out[len(e.out)-1] == '\r' {
		e.out = e.out[:len(e.out)-1]
	}
	if !e.atLine() {
		e.out = append(e.out, end...)
	}
}

// atLine reports whether what follows starts a line.
func (e *editor) atLine() bool { return len(e.out) == e.start || e.out[len(e.out)-1] == '\n' }

// nextField returns the length of a header's first field, without and with its line end.
func nextField(header []byte) (text, end int) {
	for {
		text, end = nextLine(header, end)
		if end == len(header) || !blank(header[end]) {
			return text, end
		}
	}
}

// nextLine returns where the line starting at from ends, before and after its line end:
// any number of CRs and an LF, or CRs alone.
func nextLine(header []byte, from int) (text, end int) {
	at := bytes.IndexAny(header[from:], "\r\n")
	if at < 0 {
		return len(header), len(header)
	}
	text = from + at
	for end = text; end < len(header) && header[end] == '\r'; end++ {
	}
	if end < len(header) && header[end] == '\n' {
		end++
	}
	return text, end
}

// fieldName returns the name of a field in lower case, "" if it is not a field. Some
// programs allow spaces before the colon, and some unfold first.
func fieldName(field []byte) string {
	name, _, found := bytes.Cut(field, []byte(":"))
	if !found {
		return ""
	}
	return strings.ToLower(string(bytes.TrimRight(name, " \t\r\n")))
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// Ours reports whether a name, in lower case, belongs to a field that polya adds.
func Ours(name string) bool { return strings.HasPrefix(name, "x-polya-") }
