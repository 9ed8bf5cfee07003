package mail

import "bytes"

// strip removes text before a message that does not belong to it.
//
// QUIRK: RFC 4155: mbox From lines ("From a@b Mon Sep 2 16:22:06 2002"), also with ">"
// before them, as mailers leave them in piped messages; a byte order mark; empty lines.
// It is removed only if a header field follows. A message with bare CR for line breaks
// (RFC 5322 section 2.3 forbids them) is copied with LF.
func strip(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	raw = lineFeeds(raw)
	for rest := raw; len(rest) > 0; {
		end, next := lineAt(rest, 0)
		switch line := rest[:end]; {
		case lineKind(line) == lineField:
			return rest
		case len(line) > 0 && !isFromLine(line):
			return raw
		}
		rest = rest[next:]
	}
	return raw
}

func isFromLine(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From "))
}

func lineFeeds(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return bytes.ReplaceAll(raw, []byte("\r"), []byte("\n"))
}
