package tokenize

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// htmlTerms are the terms of an HTML text, with the links behind.
func htmlTerms(a *Analyzer, text string) string {
	var b Bag
	var p Page
	p.Read([]byte(text))
	a.Text(&b, "", p.Visible)
	a.Text(&b, "invisible", p.Invisible)
	var out, links []string
	for _, link := range p.Links {
		links = append(links, "→"+string(link))
	}
	if terms := list(&b); terms != "" {
		out = append(out, terms)
	}
	return strings.Join(append(out, links...), "|")
}

func TestHTML(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"plain", "just text", "just|text"},
		{"inline tags", "V<b></b>iagra vi<!-- x -->ag<font size=1>ra</font> vi<xyz>agra v<span>i</span>agra", "viagra*4"},
		{"block tags", "one<br>two<p>three</p>four<div>five</div>six<td>seven<hr>eight<li>nine", "one|two|three|four|five|six|seven|eight|nine"},
		{"entities", "caf&eacute; &#118;iagra &amp;amp &lt;b&gt; x&shy;yz a&nbsp;bc &#x110000;", "café|viagra|amp|xyz|bc"},
		{"script and style", "ab<script>var cd = '<b>ef</b>';</script>gh<style>p{color:red}</style>ij<iframe>kl</iframe>", "abghij"},
		{"script in upper case", "ab<SCRIPT>cd</SCRIPT >ef", "abef"},
		{"noscript", "<noscript>seen <b>by</b> all</noscript>", "seen|by|all"},
		{"title", "<head><title>Big &amp; News</title><meta name=x content=unseen></head>body", "big|news|body"},
		{"comments", "ab<!-- cd > ef --> gh<!---->ij <!doctype html> <?xml kl?> <![CDATA[mn]]>", "ab|ghij"},
		{"alt and title", `ab<img alt="pic &quot;cd&quot;" src=a.gif>ef<b title="gh">ij</b>`, "ab|pic|cd|ef|gh|ij|→a.gif"},
		{"display none", `ab<p style="color:red;DISPLAY : None">cd</p>ef`, "abef|invisible:cd"},
		{"visibility", `ab<div style='visibility:hidden !important'>cd<div>ef</div>gh</div>ij`, "ab|ij|invisible:cd|invisible:ef|invisible:gh"},
		{"font size", `ab<span style=font-size:0px>cd</span><font style="font-size:0.0em">ef</font><b style="font-size:0.9em">gh</b>`,
			"abgh|invisible:cd|invisible:ef"},
		{"hidden within a word", `y<span style="font-size:0"></span>ou<b hidden>xx</b>r w<i style="opacity:0">yy</i>ord`, "your|word|invisible:xx|invisible:yy"},
		{"hidden block within a word", `y<div style="display:none">xx</div>our<div style="font-size:0">yy</div>word`, "your|word|invisible:xx|invisible:yy"},
		{"hidden input within a word", `y<input type=hidden value=xx>our<input type=text>word`, "your|word"},
		{"opacity, mso", `<i style="opacity:0">ab</i><i style="mso-hide:all">cd</i>`, "cd|invisible:ab"}, // one program of many hides it
		{"hidden", `<div hidden>ab<b>cd</b></div>ef`, "ef|invisible:abcd"},
		{"hidden paragraph ended by the next", `<p hidden>ab<p>cd<p hidden>ef<p hidden>gh`, "cd|invisible:ab|invisible:ef|invisible:gh"},
		{"hidden void element", `<img hidden alt=ab>cd<br style="display:none">ef`, "cdef|invisible:ab"},
		{"hidden body", `<body style="display:none">ab`, "ab"},
		{"hidden end without begin", `ab</div><div hidden>cd</span></div></div>ef`, "abef|invisible:cd"},
		{"hidden without end", `ab<div hidden>cd`, "ab|invisible:cd"},
		{"title of hidden", `<span style="display:none" title="ab">cd</span>`, "invisible:ab|invisible:cd"},
		{"links", `<a href="http://a.example/x?y=1&amp;z=2">ab</a><img src='cid:1'><form action=/go><body background=bg.png>`,
			"ab|→http://a.example/x?y=1&z=2|→cid:1|→/go|→bg.png"},
		{"link in text", "ab http://example.com/cd", "ab|url:example.com|path:cd"},
		{"broken", "ab <b <i>cd</b ef> gh <", "ab|cd|gh"},
		{"unfinished tag", "ab <a href='", "ab"},
		{"unfinished comment", "ab <!-- cd", "ab"},
		{"unfinished script", "ab <script> cd", "ab"},
		{"plaintext", "ab<plaintext>cd<b>", "ab|cd"},
		{"other scripts", "<p>東<b>京</b></p><p>é<i>t</i>é</p>", "東|東京|京|été"},
		{"zero width", "v&#8203;iagra v&zwj;iagra v&ZeroWidthSpace;iagra", "viagra*3"},
		{"no content, too deep", strings.Repeat("<div>", maxOpen-1) + "<div hidden><br>ab", "invisible:ab"},
		{"not UTF-8", "caf\xe9 <b>\xff\xfe</b>\x00", "café|ÿþ"},
	}
	a := analyzer(t, "polya-7 channel=off")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := htmlTerms(a, tt.text); got != tt.want {
				t.Errorf("%q:\n got %s\nwant %s", tt.text, got, tt.want)
			}
		})
	}
}

func htmlPage(html string) (p Page) {
	p.Read([]byte(html))
	return p
}

func TestHTMLTags(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	got := terms(func(b *Bag) {
		a.HTML(b, []byte("<IMG><img/><font></font><o:p></o:p><"+strings.Repeat("z", 17)+"><a href=http://x.example/yy>"))
	})
	if want := "url:x.example|path:yy"; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestHTMLTooLong has long tokens.
func TestHTMLTooLong(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	long := strings.Repeat("xx yy ", maxValue/2)
	tests := []struct{ name, text, want string }{
		{"text", "ab " + long + "<p>cd", "ab|xx*255|yy*255|cd|limit:text"},
		{"tag", "ab <p title='" + long + "'>cd<p>ef", "ab|cd|ef"},
		{"comment", "ab <!--" + long + "-->cd<p>ef", "ab|cd|ef"},
		{"unfinished tag", "ab <p title='" + long, "ab"},
		{"unfinished comment", "ab <!--" + long, "ab"},
		{"script", "ab <script>" + long + "<b></SCRIPT>cd<p>ef", "ab|cd|ef"},
		{"text before markup", strings.Repeat("xx ", maxValue/3+100) + "<script>yy</script><p>cd", "xx*255|cd|limit:text"},
	}
	for _, tt := range tests {
		if got := htmlTerms(a, tt.text); got != tt.want {
			t.Errorf("%s: %.200s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestHTMLIsLinear has texts that a careless reader would need very long for.
func TestHTMLIsLinear(t *testing.T) {
	a := analyzer(t, "polya-7 channel=off")
	for _, part := range []string{
		"<div>", "</div>", "<div hidden>", "<", "<!--", "<!-- -", "<script><!--", "<a b=", "<p style=';;;;' ", "&amp", "&#x",
		"<b title='x'", "<title>", "<svg><script>", "\x00", "http://", "www.", "<a href=http://x/http://x/>",
	} {
		text := []byte(strings.Repeat(part, 200_000/len(part)))
		start := time.Now()
		var b Bag
		a.HTML(&b, text)
		a.Text(&b, "", text)
		a.URL(&b, text)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%q many times took %v", part, took)
		}
	}
}

func TestHidesText(t *testing.T) {
	for style, want := range map[string]bool{
		"display:none":            true,
		" display : NONE ; ":      true,
		"color:red;;display:none": true,
		"font-size:0":             true,
		"font-size:0.1em":         false,
		"font-size:.5cm":          false,
		"font-size:1e1px":         false,
		"font-size:1in":           false,
		"color:white;background:navy url(x) no-repeat":     false,
		"color:white;background:rebeccapurple":             false,
		"color:white;background:none":                      true,
		"overflow:hidden;line-height:1":                    false,
		"overflow:hidden;line-height:0":                    true,
		"overflow:hidden;height:0%":                        false,
		"overflow:hidden;width:0%":                         true,
		"display:none x":                                   false,
		"display:{;display:none":                           false,
		"color:(];display:none":                            false,
		"position:x;left:-999px":                           false,
		"position:absolute;clip:rect(auto,auto,auto,auto)": false,
		"display:<!--none":                                 false,
		"font-size:.0":                                     true,
		"font-size:00.000px":                               true,
		"font-size:10px":                                   false,
		"opacity:0.0":                                      true,
		"visibility:hidden!important":                      true,
		"visibility:visible":                               false,
		"display:none-such":                                false,
		"xdisplay:none":                                    false,
		"display":                                          false,
		"":                                                 false,
		":":                                                false,
	} {
		p := htmlPage(`<p style="` + style + `">ab`)
		if got := len(p.Visible) < 2; got != want {
			t.Errorf("%q: %v", style, got)
		}
	}
}

func ExampleAnalyzer_HTML() {
	a, _ := New("polya-7 channel=off")
	var bag Bag
	a.HTML(&bag, []byte(`<p>Buy v<b></b>iagra<p style="display:none">Shakespeare`))
	for i := range bag.Len() {
		term, n := bag.At(i)
		fmt.Println(string(term), n)
	}
	// Output:
	// buy 1
	// viagra 1
	// invisible:shakespeare 1
}
