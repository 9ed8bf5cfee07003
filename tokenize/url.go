package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/window"
)

const (
	// maxURL is how much of a link is read. The rest is tracking data.
	maxURL = 1 << 10

	// maxScheme is the longest name of a scheme.
	maxScheme = 16

	// maxHost is the longest host name that gives terms. DNS allows 253 bytes, which do not
	// fit a term.
	maxHost = 100

	// maxParents is the number of parent domains counted.
	maxParents = 4

	// maxLinks is the nesting depth of links in the path of a link: a redirector names its
	// target.
	maxLinks = 2

	// maxTargets is the number of values in the query of a link that are read as hosts.
	maxTargets = 8
)

// link counts a link that begins with the word text[start:end], and returns its end, or 0
// if no link begins there.
func (w *worker) link(text []byte, start, end int) int {
	word := text[start:end]
	switch {
	case (end-start == 4 || end-start == 5) && ascii.HasPrefix(text[end:], "://") && (bytes.EqualFold(word, []byte("http")) || bytes.EqualFold(word, []byte("https"))):
	case len(word) > 4 && ascii.HasPrefix(word, "www."):
	default:
		return 0
	}
	if w.links >= maxLinks {
		return 0
	}
	n := start + linkLen(text[start:])
	w.url(text[start:n])
	return n
}

// linkLen returns the length of the link at the beginning of text: up to white space, a
// delimiter, or a letter of a script without case, since a link in Chinese text needs no
// space after it, and without the sentence's punctuation.
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

// url counts the terms of a link, which are the same in every text.
func (w *worker) url(url []byte) {
	if w.links >= maxLinks {
		return
	}
	w.links++
	var field [maxField + 1]byte
	prefix, context, mark := copy(field[:], w.buf[:w.prefix]), w.context, len(w.target)
	w.context = 0

	w.target = ascii.AppendPercent(w.target, window.Cut(bytes.TrimSpace(url), maxURL))
	user, host, path := splitURL(w.target[mark:])
	w.linkSigns(user, host, bytes.HasPrefix(w.target[mark:], []byte("mailto:")))
	w.setField("url")
	w.host(host)
	w.targets(path)
	w.setField("path")
	w.path(user)
	w.path(path)

	w.before = w.before[:0]
	w.target = w.target[:mark]
	w.context = context
	w.prefix = copy(w.buf, field[:prefix])
	w.links--
}

// linkSigns counts the terms for what a link does that hides where it leads.
func (w *worker) linkSigns(user, host []byte, mail bool) {
	if len(user) > 0 && !mail {
		w.sign("disguise:user")
	}
	switch {
	case len(host) == 0:
	case isAddress(host):
		w.sign("disguise:address")
	case ascii.HasPrefix(host, "xn--"), bytes.Contains(host, []byte(".xn--")):
		w.sign("disguise:punycode")
	}
}

// targets counts the hosts in the query of a redirector that stand without a scheme and
// before a path, as in ?to=example.com/offer, or else they may be names of files. A link
// with a scheme is counted among the words of the path.
func (w *worker) targets(path []byte) {
	_, query, _ := bytes.Cut(path, []byte("?"))
	for range maxTargets {
		_, value, _ := bytes.Cut(query, []byte("="))
		if len(value) == 0 {
			return
		}
		query = value
		value = bytes.TrimPrefix(value, []byte("//"))
		host := hostOf(value)
		if rest := value[min(len(host), len(value)):]; len(rest) == 0 || rest[0] != '/' {
			continue
		}
		if namedHost(value) != nil && !ascii.HasPrefix(host, "www.") {
			w.host(host)
			w.sign("disguise:target")
		}
	}
}

// splitURL splits a link, in place: the user before "@", which may imitate a host; the
// host; and the rest. A backslash is a slash, as in browsers.
func splitURL(url []byte) (user, host, path []byte) {
	for at := bytes.IndexByte(url, '\\'); at >= 0; at = bytes.IndexByte(url, '\\') {
		url[at] = '/'
	}
	rest, scheme := cutScheme(url)
	switch name := string(scheme); {
	case name == "cid", name == "data", name == "javascript", name == "about", name == "blob": // without a host and without words
		return nil, nil, nil
	case name == "mailto":
	case bytes.HasPrefix(rest, []byte("//")):
		rest = bytes.TrimLeft(rest, "/")
	case ascii.HasPrefix(rest, "www."):
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

// cutScheme splits the scheme from a link and makes it lower case, in place.
func cutScheme(url []byte) (rest, scheme []byte) {
	n := bytes.IndexByte(url[:min(len(url), maxScheme+1)], ':')
	if n <= 0 {
		return url, nil
	}
	for _, c := range url[:n] {
		if class[c]&alnum == 0 && c != '+' && c != '-' {
			return url, nil
		}
	}
	ascii.Lower(url[:n], url[:n], n)
	return url[n+1:], url[:n]
}

// hostOf removes the port and characters that no host name contains from the end of host,
// and dots from both ends.
func hostOf(host []byte) []byte {
	if len(host) > 0 && host[0] == '[' { // IPv6
		host, _, _ = bytes.Cut(host[1:], []byte("]"))
		for _, c := range host {
			if ascii.Hex(c) == 16 && c != ':' && c != '.' {
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
	if !isASCII(host) {
		host = w.foldLimited(clean(nil, host))
	}
	if len(host) == 0 || len(host) > maxHost {
		return
	}
	n := w.prefix + len(host)
	ascii.Lower(w.buf[w.prefix:], host, len(host))
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
		w.emitAlone(host)
		host = w.buf[w.prefix : w.prefix+len(host)]
	}
}

// isAddress reports whether host is an IP address, which has no parent domains: as in
// browsers, if its last label is a number, which may be one for four bytes or in base 16.
func isAddress(host []byte) bool {
	last := host[bytes.LastIndexByte(host, '.')+1:]
	if ascii.HasPrefix(last, "0x") {
		return true
	}
	for _, c := range last {
		if class[c] != digit {
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
