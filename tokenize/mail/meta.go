package mail

import (
	"bytes"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

// metaBytes is how much of a page is searched for its encoding, as in the HTML standard.
const metaBytes = 1024

// ofPage returns the encoding that a page names in its meta elements, nil if that is
// UTF-8 or unknown, as in the HTML standard (prescan a byte stream to determine its encoding).
func ofPage(page []byte) encoding.Encoding {
	z := htmltext.NewScanner(page[:min(len(page), metaBytes)])
	for kind := z.Next(); kind != htmltext.End; kind = z.Next() {
		if kind != htmltext.Start || !bytes.EqualFold(z.Name, []byte("meta")) {
			continue
		}
		label, ok := htmltext.Attribute(z.Token, "charset")
		if pragma, _ := htmltext.Attribute(z.Token, "http-equiv"); !ok && bytes.EqualFold(pragma, []byte("content-type")) {
			content, _ := htmltext.Attribute(z.Token, "content")
			label = inContent(bytes.ToLower(content))
		}
		switch enc := standard(string(label)); enc {
		case nil:
			continue
		case unicode.UTF8, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM):
			return nil // impossible: the page could not be read then
		default:
			return enc
		}
	}
	return nil
}

// inContent returns the charset in "text/html; charset=…".
func inContent(s []byte) []byte {
	const blanks = " \t\n\f\r"
	for {
		_, after, found := bytes.Cut(s, []byte("charset"))
		if !found {
			return nil
		}
		s = bytes.TrimLeft(after, blanks)
		label, found := bytes.CutPrefix(s, []byte("="))
		if !found {
			continue
		}
		if label = bytes.TrimLeft(label, blanks); len(label) > 0 && (label[0] == '"' || label[0] == '\'') {
			label, _, found = bytes.Cut(label[1:], label[:1])
			if !found {
				return nil
			}
		} else if end := bytes.IndexAny(label, ";"+blanks); end >= 0 {
			label = label[:end]
		}
		return label
	}
}
