package mail

import (
	"bytes"
	"encoding/binary"
)

const (
	// maxDirectory is how much of the end of a body is searched for the directory of a ZIP
	// archive, and maxListed the number of its files that are named: who opens it sees about
	// as many.
	maxDirectory = 16 << 10
	maxListed    = 16

	// entryBytes is the length of an entry of the directory before the name, and nameAt the
	// place of the length of that.
	entryBytes = 46
	nameAt     = 28
)

// isArchive reports whether a part is a ZIP archive, by its name or type.
func (p part) isArchive() bool {
	return p.ext == "zip" || p.media == "application/zip" || p.media == "application/x-zip-compressed"
}

// archive counts the names of the files in a ZIP archive like those of attached files. They
// are not compressed.
func (s *scan) archive(p part, body []byte) {
	if n := len(body) - maxDirectory; n > 0 {
		body = body[n+cutAt(body[n:], nearLine):]
	}
	body = s.decodeBody(p, body)
	for range maxListed {
		at := bytes.Index(body, []byte("PK\x01\x02"))
		if at < 0 || len(body)-at < entryBytes {
			return
		}
		size := int(binary.LittleEndian.Uint16(body[at+nameAt:]))
		body = body[at+entryBytes:]
		s.unicode = appendMixed(s.unicode[:0], body[:min(size, len(body), MaxFieldWords)])
		s.file(s.unicode)
	}
}
