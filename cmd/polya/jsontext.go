package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// encoded is v as a line of JSON, without escaping what only HTML needs escaped, but
// with all that a terminal should not be given: control characters of any kind, and
// those that turn the direction of the line.
func encoded(v any) ([]byte, error) {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return printableJSON(w.Bytes()), nil
}

// printableJSON escapes what is not printable. In JSON that stands only in strings.
func printableJSON(line []byte) []byte {
	if isPrintable(string(bytes.TrimSuffix(line, []byte("\n")))) {
		return line
	}
	var b []byte
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		switch {
		case r == '\n' || shown(r):
			b = append(b, line[:n]...)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		}
		line = line[n:]
	}
	return b
}

// appendPath appends the member "path", and "path_base64" where that is not UTF-8 and
// could not be opened again.
func appendPath(b []byte, path string) []byte {
	b = appendString(append(b, `"path":`...), path)
	if exact := exactPath(path); exact != "" {
		b = appendString(append(b, `,"path_base64":`...), exact)
	}
	return b
}

// exactPath is the base64 of a path that JSON cannot hold, and else empty.
func exactPath(path string) string {
	if utf8.ValidString(path) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(path))
}
