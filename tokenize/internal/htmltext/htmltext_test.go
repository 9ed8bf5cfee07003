package htmltext

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// breaks makes the line breaks and the NUL bytes of x/net/html, of texts that it has read too.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd")

// readAsOurs and readAsTheirs write all tokens, texts and attributes of a page.
func readAsOurs(page []byte) (out []string) {
	s := NewScanner(page)
	for {
		kind := s.Next()
		if kind == End {
			return out
		}
		out = append(out, fmt.Sprintf("%d %s", kind, s.Token))
		switch kind {
		case Text:
			out = append(out, breaks.Replace(string(s.AppendText(nil))))
		case Close:
			out = append(out, named(s.Name))
		case Start:
			out = append(out, named(s.Name))
			seen := map[string]bool{}
			r := NewTag(s.Token)
			for key, value, ok := r.Next(); ok; key, value, ok = r.Next() {
				if key := named(key); !seen[key] {
					seen[key] = true
					out = append(out, key+"="+breaks.Replace(string(Value(value))))
				}
			}
		}
	}
}

// named returns a name as x/net/html has it.
func named(b []byte) string {
	lower := []byte(strings.ReplaceAll(string(b), "\x00", "\ufffd"))
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	return string(lower)
}

func readAsTheirs(page []byte) (out []string) {
	kinds := map[html.TokenType]Kind{
		html.TextToken: Text, html.StartTagToken: Start, html.SelfClosingTagToken: Start, html.EndTagToken: Close,
		html.CommentToken: Comment, html.DoctypeToken: Comment,
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		typ := z.Next()
		if typ == html.ErrorToken {
			return out
		}
		if n := len(out); typ == html.TextToken && string(z.Raw()) == "</" && n > 1 && strings.HasPrefix(out[n-2], "1 ") {
			out[n-2], out[n-1] = out[n-2]+"</", out[n-1]+"</" // one text, at the end of the page
			continue
		}
		out = append(out, fmt.Sprintf("%d %s", kinds[typ], z.Raw()))
		switch typ {
		case html.TextToken:
			out = append(out, breaks.Replace(string(z.Text())))
		case html.EndTagToken:
			name, _ := z.TagName()
			out = append(out, string(name))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			out = append(out, string(name))
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				out = append(out, string(key)+"="+breaks.Replace(string(value)))
			}
		}
	}
}

// Tokens, texts and attributes are those that x/net/html returns itself.
func FuzzHTMLText(f *testing.F) {
	for _, page := range []string{
		"", "a &#X81;&#141;&amp; b&nbsp;c&ampd &lt &notit; &notin; &semi; &AMP &#x41;&#65 &#0; &#x80; &#xd800; &#99999999999; &# &#x; &;&&amp",
		`<a href="x?a=1&copy=2&amp;b&lt" HREF=z title='&eacute;&eacute &x;' alt=&gt;>t</a>`,
		"<p a b c d e f g h i=1 j k l m n o p q=2 r s=3 t>", "<p 1 2 3 4 5 6 7 8 9 a b c d e f g>", "<p a=/><p a/b=c/ =d e = 'f' g= h i=>x\r\ny\rz\r", "<title>&amp;\x00<b></title>\x00&amp;", "<script>&amp;\x00</script>&lt;<style>a&gt;</style>",
		"<noscript>&amp;<b title=\x00>x", "<plaintext>&amp;</plaintext>", "<xmp>&amp;</xmp>&amp;", "<textarea>\r&amp</textarea>", "<script/>&amp;</script>",
		"<a\x00b C\x00='\x00&amp;'>", "<b style=a style=b STYLE=c>", "&CounterClockwiseContourIntegral;&NotSucceedsTilde;&fjlig;&ThickSpace;", "<iframe></iframe>&amp;",
		"<", "</", "a</", "a<", "</>a", "</ a>b", "<!", "<!>", "<!->", "<!-->a", "<!--->a", "<!---->a", "<!--a--!>b", "<!--a--!--!>b", "<!--a--!-->b", "<!--a-->b", "<!--->-->", "<!doctype html>a",
		"<?xml?>a", "<?>", "a<b", "a<b c='", "</a b='>'>c", "<p/>a", "<a/b>", "<TITLE>a</TITLEx></tITLE >b", "<style></style>", "<xmp></xm></xmp/>a", "<![CDATA[a]]>b",
		"<script>a<!--b<script>c</script>d-->e</script>f", "<script><!--</script>a", "<script><!-- <script </script> --></script>a", "<script><!--<a--></script>b",
		"<script><!--<x</script>", "<script><!--<1<script></script></script>a", "<script><!-<script></script>a", "<script><!--->a</script>b", "<script><!--<script>-->a</script>b", "<script></scripts></SCRIPT\n>a",
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

// Pages of parts that mean something are cut as x/net/html cuts them.
func TestRandomPages(t *testing.T) {
	parts := []string{
		"<", "</", ">", "/", "!", "!--", "--", "-", "--!", "?", "=", "'", `"`, " ", "\n", "a", "Z", "\x00", "\r", "&amp;", "&", "<script", "</script", "script", "SCRIPT", "<!--",
		"-->", "title", "<title>", "</title>", "<style", "</STYLE ", "<plaintext>", "<textarea>", "</textarea/", "<xmp>", "<noscript>", "</noscript>", "<a b=", "doctype", "[CDATA[", "]]>",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		var page []byte
		for range 1 + rng.IntN(14) {
			page = append(page, parts[rng.IntN(len(parts))]...)
		}
		if ours, theirs := readAsOurs(page), readAsTheirs(page); !slices.Equal(ours, theirs) {
			t.Fatalf("%q\nours   %q\ntheirs %q", page, ours, theirs)
		}
	}
}
