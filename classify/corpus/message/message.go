// Package message recognises messages by the beginnings of files. It imports next to
// nothing, for processes that read only one message.
package message

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// HeadSize is how much of a file is read to detect its format: enough for the trace
// headers that a few relays write before the first well-known one.
const HeadSize = 64 << 10

// Looks reports whether the beginning of a file looks like a message. It requires two
// header lines, one of them with a name that only mail has. It ignores everything after a
// malformed line: many messages lack the empty line between header and body.
func Looks(head []byte) bool {
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
		name, ok := HeaderName(line)
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

// HeaderName returns the name in a header line, in lower case.
func HeaderName(line []byte) (string, bool) {
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

// WellKnown reports whether a header field of that name, in lower case, is common in mail.
func WellKnown(name string) bool {
	switch name {
	case "from", "to", "cc", "subject", "date", "message-id", "received", "return-path", "reply-to", "sender",
		"delivered-to", "envelope-to", "mime-version", "content-type", "content-transfer-encoding", "in-reply-to",
		"references", "list-id", "dkim-signature", "authentication-results":
		return true
	}
	return strings.HasPrefix(name, "x-")
}

// Others returns the format of a file of several documents, compressed or not, by its
// name: mbox, jsonl or csv, json of one that may be an array of them, "" for other names.
func Others(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, ext := range []string{".gz", ".bz2"} {
		name = strings.TrimSuffix(name, ext)
	}
	switch filepath.Ext(name) {
	case ".mbox", ".mbx", ".mboxrd", ".mboxo", ".mboxcl", ".mboxcl2":
		return "mbox"
	case ".jsonl", ".ndjson":
		return "jsonl"
	case ".csv", ".tsv":
		return "csv"
	case ".json":
		return "json"
	}
	if name == "mbox" {
		return "mbox"
	}
	return ""
}

// IsMailbox reports whether a file whose name does not tell its format is in a place where
// programs keep an mbox: the spool of the system, or beside an index of Thunderbird.
func IsMailbox(path string) bool {
	_, err := os.Lstat(path + Index)
	return err == nil || IsSpool(filepath.Dir(path))
}

// Index is the suffix of Thunderbird's index of a mailbox.
const Index = ".msf"

// IsSpool reports whether a folder is the spool of the system, in which each file is a mailbox.
func IsSpool(dir string) bool {
	full, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	full = filepath.ToSlash(full)
	return full == "/var/mail" || full == "/var/spool/mail"
}
