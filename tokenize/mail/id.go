package mail

import (
	"bytes"
	"crypto/sha256"
	"hash"
)

// ID is a digest, the first 16 bytes of SHA-256, of the Message-ID and the body
// of a message; of a message without a Message-ID, of From, Date and the body,
// so that one text from two senders is two. Headers added or changed
// in transit, an mbox From line, ">" that mbox files put before "From ", CRLF or
// LF for line breaks, and blank lines at the end change nothing.
//
// No other field counts: servers, lists and filters change them. So two messages with the same
// Message-ID and body are one document: only one is learned, and as another class the second
// moves the first. A program that tells by the ID whether a message is new must classify each copy.
func ID(raw []byte) [16]byte {
	id, _ := Identity(raw)
	return id
}

// Identity returns the ID of a message and its Message-ID without angle brackets, "" if it has
// none. That is as the sender wrote it: any bytes, perhaps not valid UTF-8. If it is longer
// than a line of mail may be (998 bytes), only its beginning is returned.
func Identity(raw []byte) (id [16]byte, own string) {
	s := scans.Get().(*scan)
	defer s.free()
	return identity(s.split(strip(raw), true))
}

func identity(head []field, body []byte) (id [16]byte, own string) {
	h := sha256.New()
	given := messageID(find(head, "message-id"))
	if !hashField(h, given) {
		for _, name := range [...]string{"from", "date"} {
			hashField(h, find(head, name))
		}
	}
	hashBody(h, body)
	copy(id[:], h.Sum(nil))
	return id, string(given[:min(len(given), maxMessageID)])
}

// maxMessageID is the largest number of bytes returned: RFC 5322 section 2.1.1 allows
// lines of 998.
const maxMessageID = 998

var newline = []byte{'\n'}

// hashField writes value without folds, whose line ends may differ, and reports whether
// it was not empty.
func hashField(h hash.Hash, value []byte) bool {
	any := false
	for piece := range bytes.FieldsSeq(value) {
		h.Write(piece)
		any = true
	}
	h.Write(newline)
	return any
}

// messageID returns the part of a Message-ID between the angle brackets, or all of it
// without white space at its ends.
func messageID(value []byte) []byte {
	if open := bytes.IndexByte(value, '<'); open >= 0 {
		if end := bytes.IndexByte(value[open:], '>'); end >= 0 {
			value = value[open+1 : open+end]
		}
	}
	return bytes.Trim(value, blank)
}

// hashBody writes body with LF for line breaks and without white space at its
// end.
func hashBody(h hash.Hash, body []byte) {
	body = bytes.TrimRight(body, blank)
	if bytes.IndexByte(body, '\r') < 0 && !bytes.Contains(body, []byte(">From ")) {
		h.Write(body)
		return
	}
	for pos := 0; pos < len(body); {
		end, next := lineAt(body, pos)
		line := body[pos:end]
		if isFromLine(line) {
			line = bytes.TrimLeft(line, ">")
		}
		h.Write(line)
		if end < len(body) {
			h.Write(newline)
		}
		pos = next
	}
}
