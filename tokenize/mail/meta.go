package mail

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/polya-classifier/polya/tokenize/internal/ascii"
	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

// metaBytes is how much of a page is searched for its encoding, as in the HTML standard.
const metaBytes = 1024

// ofPage returns the encoding that a page names in its meta elements, nil if that is
// UTF-8 or unknown, as DetermineEncoding of x/net/html/charset does.
func ofPage(page []byte) encoding.Encoding {
	z := htmltext.NewScanner(page[:min(len(page), metaBytes)])
	for {
		switch z.Next() {
		case htmltext.End:
			return nil
		case htmltext.Start:
			if !bytes.EqualFold(z.Name(), []byte("meta")) {
				continue
			}
			enc := ofMeta(z.Token())
			if enc == nil {
				continue
			}
			if name, _ := htmlindex.Name(enc); name == "utf-8" || strings.HasPrefix(name, "utf-16") {
				return nil // impossible: the page could not be read then
			}
			return enc
		}
	}
}

// ofMeta returns the encoding that a meta element names.
func ofMeta(tag []byte) (enc encoding.Encoding) {
	var seen []string
	pragma, needed, said := false, false, false
	r := htmltext.NewTag(tag)
	for key, value, ok := r.Next(); ok; key, value, ok = r.Next() {
		k := string(ascii.AppendLower(nil, key))
		if k != "http-equiv" && k != "content" && k != "charset" || slices.Contains(seen, k) {
			continue
		}
		seen = append(seen, k)
		v := string(ascii.AppendLower(nil, htmltext.Value(value)))
		switch {
		case k == "http-equiv":
			pragma = pragma || v == "content-type"
		case k == "charset":
			enc, _ = htmlindex.Get(v)
			needed, said = false, true
		case enc == nil:
			if label := inContent(v); label != "" {
				if enc, _ = htmlindex.Get(label); enc != nil {
					needed, said = true, true
				}
			}
		}
	}
	if !said || needed && !pragma {
		return nil
	}
	return enc
}

// inContent returns the charset in "text/html; charset=…".
func inContent(s string) string {
	const blanks = " \t\n\f\r"
	for {
		_, after, found := strings.Cut(s, "charset")
		if !found {
			return ""
		}
		s = strings.TrimLeft(after, blanks)
		if !strings.HasPrefix(s, "=") {
			continue
		}
		s = strings.TrimLeft(s[1:], blanks)
		if s == "" {
			return ""
		}
		if q := s[0]; q == '"' || q == '\'' {
			label, _, closed := strings.Cut(s[1:], string(q))
			if !closed {
				return ""
			}
			return label
		}
		if end := strings.IndexAny(s, ";"+blanks); end >= 0 {
			return s[:end]
		}
		return s
	}
}
