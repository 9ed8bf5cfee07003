package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// headSize is how much of a file is read to detect its format: enough for the trace
// headers that a few relays write before the first well-known one.
const headSize = 64 << 10

var byteOrderMark = []byte("\ufeff")

// detect determines from the beginning of a file whether it is Mbox, JSONL, labelled Lines,
// HTML, Mail or Text. It never returns Auto, nor CSV, which only a file name determines. Walk
// calls it if Options.Several is set.
func (o *Options) detect(head []byte) Format {
	switch {
	case looksMbox(head):
		return Mbox
	case o.looksJSONL(head):
		return JSONL
	case bytes.HasPrefix(head, []byte(labelMark)):
		return Lines
	default:
		return Detect(head)
	}
}

// Detect distinguishes Mail, HTML and Text by the beginning of a document.
func Detect(content []byte) Format {
	switch head := content[:min(len(content), headSize)]; {
	case looksHTML(head):
		return HTML
	case looksMail(head):
		return Mail
	default:
		return Text
	}
}

// IsMessage reports whether content is one message, with or without the From line that delivery
// agents write before it.
func IsMessage(content []byte) bool {
	switch new(Options).detect(content[:min(len(content), headSize)]) {
	case Mail:
		return true
	case Mbox:
		_, message, _ := bytes.Cut(content, []byte("\n"))
		return !hasMessages(message)
	default:
		return false
	}
}

// looksMbox requires a date in the From line, or a header below it: prose may begin with
// "From" too.
func looksMbox(head []byte) bool {
	line, rest, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.HasPrefix(line, fromPrefix) {
		return false
	}
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	_, dated := parseFromLine(line)
	return dated || wellKnown(headerName(next))
}

// looksJSONL requires an object with "text" or "attributes", or another text or class that is
// asked for, in the first line, or first in an array. If it is longer than head, or in an array,
// the key suffices.
func (o *Options) looksJSONL(head []byte) bool {
	head = bytes.TrimPrefix(head, byteOrderMark)
	head = bytes.TrimLeft(head, " \t\r\n")
	if array, found := bytes.CutPrefix(head, []byte("[")); found {
		return o.startsRecord(array)
	}
	if len(head) == 0 || head[0] != '{' {
		return false
	}
	line, _, whole := bytes.Cut(head, []byte("\n"))
	return (json.Valid(line) || !whole && len(head) > headSize/2) && o.startsRecord(line)
}

// startsRecord reports whether line, the beginning of a JSON object, has reached such a key.
func (o *Options) startsRecord(line []byte) bool {
	keys := slices.Concat([]string{"text", "attributes", o.ClassColumn}, o.TextColumns, o.Usual.Texts)
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for {
		key, err := d.Token()
		if err != nil {
			return false
		}
		if s, ok := key.(string); ok && s != "" && find(keys, s) >= 0 {
			return true
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return false
		}
	}
}

// looksHTML requires a tag, a doctype, a comment or an XML declaration first after white
// space.
func looksHTML(head []byte) bool {
	head = bytes.TrimPrefix(head, byteOrderMark)
	head = bytes.TrimLeft(head, " \t\r\n\f")
	if len(head) < 3 || head[0] != '<' {
		return false
	}
	start := strings.ToLower(string(head[:min(len(head), 64)]))
	if slices.ContainsFunc([]string{"<!doctype html", "<!--", "<?xml"}, func(p string) bool { return strings.HasPrefix(start, p) }) {
		return true
	}
	name := strings.TrimPrefix(start[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-') })
	// "<someone@example.org> wrote" and "<3" are not tags.
	return end > 0 && 'a' <= name[0] && name[0] <= 'z' && strings.IndexByte(" \t\r\n/>", name[end]) >= 0
}

// peekHead returns the beginning of r. If the first line is JSON it waits for nothing
// more, so that JSON lines can be processed as they arrive.
func (o *Options) peekHead(r *bufio.Reader) []byte {
	for {
		head, _ := r.Peek(r.Buffered())
		text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
		end := bytes.IndexByte(text, '\n')
		if end >= 0 && o.looksJSONL(head) {
			return head
		}
		if end >= 0 || len(text) > 0 && text[0] != '{' {
			head, _ = r.Peek(headSize)
			return head
		}
		if _, err := r.Peek(r.Buffered() + 1); err != nil {
			return head
		}
	}
}

// looksMail reports whether the beginning of a file looks like a message. It requires two
// header lines, one of them with a name that only mail has. It ignores everything after a
// malformed line: many messages lack the empty line between header and body.
func looksMail(head []byte) bool {
	headers, known := 0, false
	for first := true; len(head) > 0; first = false {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if first && bytes.HasPrefix(line, []byte(">From ")) {
			continue // from programs that quote before they deliver
		}
		if headers > 0 && len(line) > 1 && (line[0] == ' ' || line[0] == '\t') {
			continue
		}
		name := headerName(line)
		if name == "" {
			return false
		}
		headers++
		known = known || mailOnly(name)
		if headers >= 2 && known {
			return true
		}
	}
	return false
}

// mailOnly recognises the fields of which most messages have some, and other documents with
// lines like those of a header none.
func mailOnly(name string) bool {
	return slices.Contains([]string{"from", "to", "cc", "bcc", "subject", "message-id", "received", "return-path", "reply-to", "sender", "delivered-to",
		"envelope-to", "content-transfer-encoding", "in-reply-to", "references", "list-id", "dkim-signature", "authentication-results", "newsgroups"}, name)
}

// headerName returns the name in a header line, in lower case, "" if it is none.
func headerName(line []byte) string {
	i := bytes.IndexByte(line, ':')
	if i < 1 || i > 76 {
		return ""
	}
	name := strings.TrimRight(string(line[:i]), " \t") // RFC 5322, 4.5: white space before the colon
	if strings.ContainsFunc(name, func(r rune) bool { return r < 33 || r > 126 }) {
		return ""
	}
	return strings.ToLower(name)
}

// wellKnown reports whether a header field of that name, in lower case, is common in mail.
func wellKnown(name string) bool {
	return mailOnly(name) || name == "date" || name == "mime-version" || name == "content-type" || strings.HasPrefix(name, "x-")
}
