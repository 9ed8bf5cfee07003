package corpus

import (
	"bytes"
	"strings"
)

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
		name, ok := headerName(line)
		if !ok {
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
	switch name {
	case "from", "to", "cc", "bcc", "subject", "message-id", "received", "return-path", "reply-to", "sender", "delivered-to",
		"envelope-to", "content-transfer-encoding", "in-reply-to", "references", "list-id", "dkim-signature",
		"authentication-results", "newsgroups":
		return true
	}
	return false
}

// headerName returns the name in a header line, in lower case.
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

// wellKnown reports whether a header field of that name, in lower case, is common in mail.
func wellKnown(name string) bool {
	return mailOnly(name) || name == "date" || name == "mime-version" || name == "content-type" || strings.HasPrefix(name, "x-")
}
