package mail

import (
	"bytes"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/polya-classifier/polya/tokenize/internal/htmltext"
)

// metaBytes is how much of a page is searched for its encoding, as in the HTML standard.
const metaBytes = 1024

// ofPage returns the encoding that a page names in its meta elements, nil if that is
// UTF-8 or unknown, as in the HTML standard (prescan a byte stream to determine its encoding).
func ofPage(page []byte) encoding.Encoding {
	z := htmltext.NewScanner(page[:min(len(page), metaBytes)])
	for kind := z.Next(); kind != htmltext.End; kind = z.Next() {
		if kind != htmltext.Start || !bytes.EqualFold(z.Name(), []byte("meta")) {
			continue
		}
		label, ok := htmltext.Attribute(z.Token(), "charset")
		if pragma, _ := htmltext.Attribute(z.Token(), "http-equiv"); !ok && bytes.EqualFold(pragma, []byte("content-type")) {
			content, _ := htmltext.Attribute(z.Token(), "content")
			label = inContent(bytes.ToLower(content))
		}
		enc, err := htmlindex.Get(string(label))
		if err != nil {
			continue
		}
		if name, _ := htmlindex.Name(enc); name == "utf-8" || strings.HasPrefix(name, "utf-16") {
			return nil // impossible: the page could not be read then
		}
		return enc
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
