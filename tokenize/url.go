package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

const (
	// maxURL is how much of a link is read. What lies behind is a key of
	// whoever counts clicks.
	maxURL = 1 << 10

	// maxScheme is the longest name of a scheme.
	maxScheme = 16

	// maxHost is the longest host name of which terms are made. DNS would
	// allow 253, but a term could not hold it.
	maxHost = 100

	// maxParents is the number of parent domains counted.
	maxParents = 4

	// maxLinks is how deep a link may lie in the path of a link: a redirector
	// names its target.
	maxLinks = 2
)

// link counts a link that begins with the word of text from start to end, and
// returns where it ends, or 0 if none begins there.
func (w *worker) link(text []byte, start, end int) int {
	word := text[start:end]
	switch {
	case (end-start == 4 || end-start == 5) && hasFold(text[end:], "://") && (equalFold(word, "http") || equalFold(word, "https")):
	case len(word) > 4 && hasFold(word, "www."):
	default:
		return 0
	}
	if w.links >= maxLinks {
		return 0
	}
	n := start + linkLen(text[start:])
	if w.ballot == nil {
		w.url(text[start:n])
	}
	return n
}

// linkLen is how far the link at the beginning of text goes: to white space or
// a delimiter, to a letter of a script without case, for a link in Chinese text
// needs no space behind it, and without the punctuation of the sentence.
func linkLen(text []byte) int {
	n := 0
	for n < len(text) {
		c := text[n]
		if c < utf8.RuneSelf {
			if c <= ' ' || c == '<' || c == '>' || c == '"' || c == '`' || c == '{' || c == '}' || c == 0x7F {
				break
			}
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[n:])
		if !unicode.IsLower(r) && !unicode.IsUpper(r) {
			break
		}
		n += size
	}
	for n > 1 && bytes.IndexByte([]byte(".,;:!?'*)]|"), text[n-1]) >= 0 {
		n--
	}
	return n
}

// url counts the terms of a link. Its words are not stemmed by the language of
// the text it stands in, so that a link gives the same terms everywhere.
func (w *worker) url(url []byte) {
	if w.links >= maxLinks {
		return
	}
	w.links++
	w.trace.Enter("url", url)
	var field [maxField + 1]byte
	prefix, lang, mark := copy(field[:], w.buf[:w.prefix]), w.lang, len(w.target)
	w.lang = w.fixed

	w.target = unescape(w.target, cutURL(bytes.TrimSpace(url)), w.trace)
	w.trace.Made(w.target[mark:])
	user, host, path := splitURL(w.target[mark:])
	w.setField("url")
	w.host(host)
	w.setField("path")
	w.path(user)
	w.path(path)

	w.before = w.before[:0]
	w.target = w.target[:mark]
	w.lang = lang
	w.prefix = copy(w.buf, field[:prefix])
	w.trace.Drop()
	w.trace.Leave()
	w.links--
}

// cutURL shortens a link to maxURL without splitting a rune.
func cutURL(url []byte) []byte {
	if len(url) > maxURL {
		return cut(url, maxURL)
	}
	return url
}

// unescape appends url to dst with %XX decoded.
func unescape(dst, url []byte, t *Trace) []byte {
	mark := len(dst)
	for i := 0; i < len(url); i++ {
		from := i
		c := url[i]
		if c == '%' && i+2 < len(url) {
			high, low := hex(url[i+1]), hex(url[i+2])
			if high < 16 && low < 16 {
				c = high<<4 | low
				i += 2
			}
		}
		t.Piece(len(dst)-mark, url[from:i+1])
		dst = append(dst, c)
	}
	return dst
}

func hex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// splitURL takes a link apart, in place: what stands before "@", which is
// there to look like a host; the host; and all the rest. A backslash is a slash,
// as browsers have it.
func splitURL(url []byte) (user, host, path []byte) {
	for i, c := range url {
		if c == '\\' {
			url[i] = '/'
		}
	}
	rest, scheme := cutScheme(url)
	switch {
	case opaque[string(scheme)]:
		return nil, nil, nil
	case string(scheme) == "mailto":
	case bytes.HasPrefix(rest, []byte("//")):
		rest = bytes.TrimLeft(rest, "/")
	case hasFold(rest, "www."):
	default:
		return nil, nil, rest
	}
	end := bytes.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, path = rest[:end], rest[end:]
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		user, host = host[:at], host[at+1:]
	}
	return user, hostOf(host), path
}

// opaque are the schemes of links that name no place and have no words.
var opaque = map[string]bool{"cid": true, "data": true, "javascript": true, "about": true, "blob": true}

// cutScheme parts the scheme from a link and makes it lower case, in place.
func cutScheme(url []byte) (rest, scheme []byte) {
	n := bytes.IndexByte(url, ':')
	if n <= 0 || n > maxScheme {
		return url, nil
	}
	for _, c := range url[:n] {
		if class[c]&alnum == 0 && c != '+' && c != '-' {
			return url, nil
		}
	}
	for i, c := range url[:n] {
		url[i] = lower[c]
	}
	return url[n+1:], url[:n]
}

// hostOf takes the port and what no host name can hold from the end of host,
// and the dots from both ends.
func hostOf(host []byte) []byte {
	if len(host) > 0 && host[0] == '[' { // IPv6
		host, _, _ = bytes.Cut(host[1:], []byte("]"))
		for _, c := range host {
			if hex(c) == 16 && c != ':' && c != '.' {
				return nil
			}
		}
		return host
	}
	n := 0
	for n < len(host) && (host[n] >= utf8.RuneSelf || class[host[n]]&alnum != 0 || host[n] == '_' || host[n] == '.' || host[n] == '-') {
		n++
	}
	return bytes.Trim(host[:n], ".")
}

// host counts a host and its parent domains of two labels and more.
func (w *worker) host(host []byte) {
	w.trace.At(host)
	whole := host
	if !isASCII(host) {
		host, whole = w.fold(clean(nil, host, nil)), nil
	}
	if len(host) == 0 || len(host) > maxHost {
		return
	}
	n := w.prefix + len(host)
	for i, c := range host {
		w.buf[w.prefix+i] = lower[c]
	}
	w.bag.Add(w.buf[:n])
	if isAddress(host) {
		return
	}
	host = w.buf[w.prefix:n]
	for range maxParents {
		dot := bytes.IndexByte(host, '.')
		if dot < 0 || bytes.IndexByte(host[dot+1:], '.') < 0 {
			return
		}
		host = host[dot+1:]
		if w.trace != nil && whole != nil {
			w.trace.At(whole[len(whole)-len(host):])
		}
		w.emitAlone(host)
		host = w.buf[w.prefix : w.prefix+len(host)]
	}
}

// isAddress reports whether host is an IP address, which has no parent domains.
func isAddress(host []byte) bool {
	for _, c := range host {
		if c != '.' && class[c] != digit {
			return bytes.IndexByte(host, ':') >= 0
		}
	}
	return true
}

func (w *worker) path(path []byte) {
	if isASCII(path) {
		w.ascii(path)
	} else {
		w.foreign(path)
	}
}

// hasFold reports whether text begins with prefix, which is lower case, in any
// case.
func hasFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && equalFold(text[:len(prefix)], prefix)
}

func equalFold(text []byte, word string) bool {
	if len(text) != len(word) {
		return false
	}
	for i, c := range text {
		if lower[c] != word[i] {
			return false
		}
	}
	return true
}
