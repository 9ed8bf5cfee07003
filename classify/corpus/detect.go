package corpus

import (
	"bytes"
	"encoding/json"
	"strings"
)

// headSize is how much of a file is looked at to tell its format: room for the
// trace headers that a few relays write before the first well-known one.
const headSize = 64 << 10

var byteOrderMark = []byte("\ufeff")

// detect tells from the beginning of a file whether it is Mbox, JSONL, HTML, Mail
// or Text. It never answers Auto, nor CSV, which only the name of a file tells. Walk
// asks it where Options.Several is set.
func detect(head []byte) Format {
	switch {
	case looksMbox(head):
		return Mbox
	case looksJSONL(head):
		return JSONL
	default:
		return detectSingle(head)
	}
}

// detectSingle tells Mail, HTML and Text from each other.
func detectSingle(head []byte) Format {
	switch {
	case looksHTML(head):
		return HTML
	case looksMail(head):
		return Mail
	default:
		return Text
	}
}

// looksMbox wants a date in the From line, or a header below it: plain prose may
// begin with "From" too.
func looksMbox(head []byte) bool {
	line, rest, found := bytes.Cut(head, []byte("\n"))
	if !bytes.HasPrefix(line, fromPrefix) {
		return false
	}
	if _, ok := parseFromLine(line); ok {
		return true
	}
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	name, ok := headerName(next)
	return found && ok && wellKnown(name)
}

// looksJSONL wants an object with "text" or "attributes" in the first line. Where the
// line is longer than head, the key suffices.
func looksJSONL(head []byte) bool {
	head = bytes.TrimPrefix(head, byteOrderMark)
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	line, _, whole := bytes.Cut(head, []byte("\n"))
	var r record
	if json.Unmarshal(line, &r) == nil {
		return r.isDocument()
	}
	return !whole && len(head) > headSize/2 && startsRecord(line)
}

// startsRecord reports whether line, the beginning of a JSON object, has reached the
// key "text" or "attributes".
func startsRecord(line []byte) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for {
		key, err := d.Token()
		if err != nil {
			return false
		}
		if s, ok := key.(string); ok && (strings.EqualFold(s, "text") || strings.EqualFold(s, "attributes")) {
			return true
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return false
		}
	}
}

// looksHTML wants a tag, a doctype, a comment or an XML declaration as the first
// thing after white space.
func looksHTML(head []byte) bool {
	head = bytes.TrimPrefix(head, byteOrderMark)
	head = bytes.TrimLeft(head, " \t\r\n\f")
	if len(head) < 3 || head[0] != '<' {
		return false
	}
	start := strings.ToLower(string(head[:min(len(head), 64)]))
	for _, p := range []string{"<!doctype html", "<!--", "<?xml"} {
		if strings.HasPrefix(start, p) {
			return true
		}
	}
	name := strings.TrimPrefix(start[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-') })
	// "<someone@example.org> wrote" and "<3" are no tags.
	return end > 0 && 'a' <= name[0] && name[0] <= 'z' && strings.IndexByte(" \t\r\n/>", name[end]) >= 0
}

// looksMail wants two header lines, one of them with a well-known name. What
// comes after a malformed line is not looked at: many a message lacks the empty
// line between header and body.
func looksMail(head []byte) bool {
	headers, known := 0, false
	for first := true; len(head) > 0; first = false {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if first && bytes.HasPrefix(line, []byte(">From ")) {
			continue // left by programs that quote before they deliver
		}
		if headers > 0 && len(line) > 1 && (line[0] == ' ' || line[0] == '\t') {
			continue
		}
		name, ok := headerName(line)
		if !ok {
			return false
		}
		headers++
		known = known || wellKnown(name)
		if headers >= 2 && known {
			return true
		}
	}
	return false
}

// headerName is the name in a header line, in lower case.
func headerName(line []byte) (string, bool) {
	i := bytes.IndexByte(line, ':')
	if i < 1 || i > 76 {
		return "", false
	}
	name := strings.TrimRight(string(line[:i]), " \t") // RFC 5322, 4.5: white space before the colon
	for j := range len(name) {
		if name[j] < 33 || name[j] > 126 {
			return "", false
		}
	}
	return strings.ToLower(name), name != ""
}

func wellKnown(name string) bool {
	switch name {
	case "from", "to", "cc", "subject", "date", "message-id", "received", "return-path", "reply-to", "sender",
		"delivered-to", "envelope-to", "mime-version", "content-type", "content-transfer-encoding", "in-reply-to",
		"references", "list-id", "dkim-signature", "authentication-results":
		return true
	}
	return strings.HasPrefix(name, "x-")
}
