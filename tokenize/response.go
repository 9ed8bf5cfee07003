package tokenize

import "bytes"

const (
	// MaxHeader is the number of bytes of the header of a saved response that are read: the
	// lines in its first and its last half. Servers send some KiB, and browsers take up to
	// 256. Beyond it: limit:header.
	MaxHeader = 64 << 10

	// maxHeaderWords is the number of bytes of a field's value whose words are counted, as
	// in mail. Longer values are policies and tokens.
	maxHeaderWords = 200

	// maxHeaderName is the longest name of a field.
	maxHeaderName = 78
)

// response counts the terms of a saved response: of its header, and of the page after it.
func (w *worker) response(raw []byte) {
	end := headerEnd(raw)
	kind := w.header(raw[:end])
	if len(kind) > 0 && !bytes.Contains(bytes.ToLower(kind), []byte("ml")) {
		w.analyze("", raw[end:]) // neither HTML nor XML of any kind
		return
	}
	w.html(raw[end:])
}

// headerEnd returns the beginning of the page: after its header and the headers of
// interim responses and redirections before it. After any other header a status line is
// visible text of the page. The header may lack a status line.
func headerEnd(raw []byte) (end int) {
	for more := true; more; {
		line, _, _ := bytes.Cut(raw[end:], []byte("\n"))
		status := statusOf(line)
		if name, _ := headerField(line); status == nil && (end > 0 || name == nil) {
			return end
		}
		more = status != nil && status[0] == '1'
		for blank := false; !blank; {
			line, _, found := bytes.Cut(raw[end:], []byte("\n"))
			if end += len(line) + 1; !found {
				return len(raw)
			}
			name, _ := headerField(line)
			more = more || status != nil && status[0] == '3' && bytes.EqualFold(name, []byte("location"))
			blank = len(bytes.TrimRight(line, "\r")) == 0
		}
	}
	return end
}

// statusOf returns the three digits in a status line (RFC 9112 section 4), such as
// "HTTP/1.1 404 Not Found", nil if the line is not one.
func statusOf(line []byte) []byte {
	rest, ok := bytes.CutPrefix(line, []byte("HTTP/"))
	version, rest, _ := bytes.Cut(rest, []byte(" "))
	if !ok || len(version) == 0 || len(version) > len("1.1") || len(rest) < 3 || len(bytes.TrimLeft(version, "0123456789.")) > 0 ||
		len(bytes.TrimLeft(rest[:3], "0123456789")) > 0 || len(rest) > 3 && rest[3] != ' ' && rest[3] != '\r' {
		return nil
	}
	return rest[:3]
}

// headerField splits a line into the name of a field and its value. The name is nil if
// the line has none.
func headerField(line []byte) (name, value []byte) {
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found || len(name) == 0 || len(name) > maxHeaderName || bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, nil
	}
	return name, bytes.TrimSpace(value)
}

// header counts the terms of headers, and returns their last media type.
func (w *worker) header(raw []byte) (kind []byte) {
	if len(raw) <= MaxHeader {
		return w.headerLines(raw, nil)
	}
	first, last := raw[:MaxHeader/2], raw[len(raw)-MaxHeader/2:]
	kind = w.headerLines(first[:bytes.LastIndexByte(first, '\n')+1], nil)
	w.limit("limit:header")
	if _, whole, found := bytes.Cut(last, []byte("\n")); found {
		kind = w.headerLines(whole, kind)
	}
	return kind
}

func (w *worker) headerLines(raw, kind []byte) []byte {
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, []byte("\n"))
		if status := statusOf(line); status != nil {
			w.trace.At(nil)
			w.setField("status")
			w.emitAlone(status)
			kind = nil
			continue
		}
		name, value := headerField(line)
		if name == nil {
			continue
		}
		name = bytes.ToLower(name)
		w.trace.At(nil)
		w.setField("http")
		w.emitAlone(name)
		switch string(name) {
		case "content-type":
			kind = value
		case "set-cookie":
			value, _, _ = bytes.Cut(value, []byte("="))
		case "location", "content-location":
			w.url(value)
			continue
		}
		if !ofOneResponse[string(name)] {
			value = value[:min(len(value), maxHeaderWords)]
			w.trace.Enter("http-"+string(name), value)
			w.setField("http-" + string(name))
			w.text(value)
			w.trace.Leave()
		}
	}
	return kind
}

// ofOneResponse are the fields whose values identify a response rather than its kind;
// only their presence counts.
var ofOneResponse = map[string]bool{
	"date": true, "expires": true, "last-modified": true, "etag": true, "age": true, "content-length": true,
	"content-md5": true, "digest": true, "x-request-id": true, "x-amz-request-id": true, "x-amz-id-2": true,
	"x-amz-cf-id": true, "cf-ray": true, "x-timer": true, "x-runtime": true, "x-varnish": true,
}
