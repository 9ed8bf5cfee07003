package htmltext

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// readAsOurs and readAsTheirs write all texts and attributes of a page.
func readAsOurs(page []byte) (out []string) {
	z := html.NewTokenizer(bytes.NewReader(page))
	mode := Normal
	for {
		typ, was := z.Next(), mode
		mode = Normal
		switch typ {
		case html.ErrorToken:
			return out
		case html.TextToken:
			out = append(out, string(Text(z.Raw(), was)))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			mode = ModeOf(name)
			seen := map[string]bool{}
			r := NewTag(z.Raw())
			for key, value, ok := r.Next(); ok; key, value, ok = r.Next() {
				lower := string(bytesToLower(key))
				if !seen[lower] {
					seen[lower] = true
					out = append(out, strings.ReplaceAll(lower, "\x00", "\ufffd")+"="+string(Value(value)))
				}
			}
		}
	}
}

func bytesToLower(b []byte) []byte {
	b = bytes.Clone(b)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return b
}

func readAsTheirs(page []byte) (out []string) {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.TextToken:
			out = append(out, string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			_, more := z.TagName()
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				out = append(out, string(key)+"="+string(value))
			}
		}
	}
}

// Texts and attributes are those that x/net/html returns itself.
func FuzzHTMLText(f *testing.F) {
	for _, page := range []string{
		"", "a &amp; b&nbsp;c&ampd &lt &notit; &notin; &semi; &AMP &#x41;&#65 &#0; &#x80; &#xd800; &#99999999999; &# &#x; &;&&amp",
		`<a href="x?a=1&copy=2&amp;b&lt" HREF=z title='&eacute;&eacute &x;' alt=&gt;>t</a>`,
		"<p a=/><p a/b=c/ =d e = 'f' g= h i=>x\r\ny\rz\r", "<title>&amp;\x00<b></title>\x00&amp;", "<script>&amp;\x00</script>&lt;<style>a&gt;</style>",
		"<noscript>&amp;<b title=\x00>x", "<plaintext>&amp;</plaintext>", "<xmp>&amp;</xmp>&amp;", "<textarea>\r&amp</textarea>", "<script/>&amp;</script>",
		"<a\x00b C\x00='\x00&amp;'>", "<b style=a style=b STYLE=c>", "&CounterClockwiseContourIntegral;&NotSucceedsTilde;&fjlig;&ThickSpace;", "<iframe></iframe>&amp;",
		"&nGt;&nLt;<a b='&nGt;'>", "<a b='&amp=1&ampx&amp;=&lt=2&semi;'>",
	} {
		f.Add([]byte(page))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		ours, theirs := readAsOurs(page), readAsTheirs(page)
		if !slices.Equal(ours, theirs) {
			t.Errorf("%q\nours   %q\ntheirs %q", page, ours, theirs)
		}
	})
}
