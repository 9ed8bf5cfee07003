package style

import (
	"strings"
	"testing"
	"time"
)

// open returns open elements, written as in "div.a.b#c i".
func open(text string) (list []Element) {
	for word := range strings.FieldsSeq(text) {
		word, id, _ := strings.Cut(word, "#")
		name, class, _ := strings.Cut(word, ".")
		class = strings.ReplaceAll(class, ".", " ")
		list = append(list, Element{name, []byte(id), []byte(class), []byte("<" + name + " lang=de data-x='a b'>")})
	}
	return list
}

// Which elements a sheet hides, as CSS 2.1 sections 5 and 6 and Selectors level 3 say.
func TestCascade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		css, path string
		hidden    bool
	}{
		{"p{display:none}", "p", true},
		{"P{DISPLAY:NONE}", "p", true},
		{"p{display:none}", "div", false},
		{"p{display:none}p{display:block}", "p", false},
		{"p{display:none!important}p{display:block}", "p", true},
		{"p.a{display:block}p{display:none}", "p.a", false},
		{"#c{display:block}p.a.b{display:none}", "p.a.b#c", false},
		{".a.b{display:none}", "p.b.a", true},
		{".a.b{display:none}", "p.b", false},
		{"div p{display:none}", "div i p", true},
		{"div>p{display:none}", "div i p", false},
		{"body > div > p{display:none}", "body div p", true},
		{"i div > p{display:none}", "i b div p", true},
		{"p div{display:none}", "div p", false},
		{"[lang]{display:none}", "p", true},
		{"[lang=de]{display:none}", "p", true},
		{`[lang="en"]{display:none}`, "p", false},
		{"[data-x~=b]{display:none}", "p", true},
		{"[data-x$=b]{display:none}", "p", true},
		{"[data-x*=' ']{display:none}", "p", true},
		{"[lang|=d]{display:none}", "p", false},
		{"p:not(.a){display:none}", "p.b", true},
		{"p:not(.a){display:none}", "p.a", false},
		{"p:hover,p:nth-child(1),p+p,p~p,p::selection{display:none}", "p", false},
		{"h1,p{display:none}", "p", true},
		{"*{display:none}", "p", true},
		{"}p{display:none}", "p", false},
		{"}i{}p{display:none}", "p", true},
		{"p{content:'}';display:none}", "p", true},
		{"p{background:url(a;b);display:none}", "p", true},
		{"@media print{p{display:none}}", "p", false},
		{"@media print{p{}}p{display:none}", "p", true},
		{"@media screen and (max-width:600px){p{display:none}}", "p", false},
		{"@media screen and (min-width:600px){p{display:none}}", "p", true},
		{"@media print, screen{p{display:none}}", "p", true},
		{"@import 'x';@font-face{src:a}p{display:none}", "p", true},
		{"@keyframes a{from{display:none}}p{display:block}", "p", false},
		{"/* p{ */p{/**/display:none}", "p", true},
		{`.\61 {d\69splay:none}`, "p.a", true},
		{`p\7b{display:none}`, "p", false},
		{"<!-- p{display:none} -->", "p", true},
		{"p,{display:none}", "p", false},
		{"p,5{display:none}", "p", false},
		{"p,i..a{display:none}", "p", false},
		{"p,:x{display:none}", "p", true},
		{"x;p{display:none}", "p", false},
		{"@x;p{display:none}", "p", true},
		{"p{display:none}p:first-child{display:block}", "p", false},
		{"p{display:none}i + p:not(.a .b):is(p, i){display:block}", "p", false},
		{"p{x:(}p{display:none}", "p", false},
		{"p{x:(]}p{display:none}", "p", false},
		{"p{x:({)};y:z}p{display:none}", "p", false},
		{"p{i{x:y;display:none;x:y}}", "p", false},
		{"p{i{x:y}display:none}", "p", true},
		{"@media (width<1px){p{display:none}}", "p", false},
		{"p{display:none}@media (width>1px){p{display:block}}", "p", false},
		{"@media x{p{display:none}}", "p", false},
		{"@media all and (orientation:portrait){p{display:none}}", "p", false},
		{"@media not all{p{display:none}}", "p", false},
		{"@supports (x:y){@media all{p{display:none}}}p{}", "p", false},
		{"@supports (x:y){}p{display:none}", "p", true},
		{"@container (width>9px){p{display:none}}", "p", false},
		{"p{display:block}@layer a{p{display:none}}", "p", false},
		{"p{display:none}p:hover{display:block}i:active + p{display:block}", "p", true},
		{"p{display:none}p:not(:hover){display:block}", "p", false},
		{"p{display:none}@media (orientation:landscape) and (max-width:600px){p{display:block}}", "p", true},
		{"p{display:none}@media not print{p{display:block}}", "p", false},
		{"\x01p{display:none}", "p", false},
		{"\u00a0p{display:none}", "p", false},
		{"@media all{<!--p{display:none}}", "p", false},
		{"p <!--{display:none}", "p", false},
	} {
		var s Sheet
		s.Reset()
		s.Add([]byte(tt.css), true)
		var st Style
		s.Apply(&st, open(tt.path))
		if st.Is(Display) != tt.hidden {
			t.Errorf("%q hides %q: %v", tt.css, tt.path, !tt.hidden)
		}
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int32{
		"#FFF": 0xffffff, "fff": 0xffffff, "#369": 0x336699, "White": 0xffffff, "rgb(1, 2,3)": 0x010203, "rgb(100% 0% 0%)": 0xff0000,
		"rgba(1,2,3,0)": Transparent, "rgba(1,2,3,.5)": 0x010203, "#12345600": Transparent, "transparent": Transparent, "": Unknown, "x": Unknown, "rgb(1": Unknown,
	} {
		html, css := Colour([]byte(text)), colour([]byte(strings.ToLower(text)))
		if strings.ContainsAny(text, "(") || want == Transparent { // which attributes do not have
			if html != Unknown {
				t.Errorf("%q is %x in an attribute", text, html)
			}
			html = css
		}
		if css != want && text != "fff" || html != want {
			t.Errorf("%q is %x and %x, want %x", text, html, css, want)
		}
	}
	if !Alike(0xffffff, 0xf5f5ff) || Alike(0xffffff, 0xe0ffff) || Alike(0xffffff, Unknown) || !Alike(Transparent, Unknown) {
		t.Error("colours that are alike")
	}
}

// Sheets cost time by their length, whatever they say.
func TestLinear(t *testing.T) {
	t.Parallel()
	for _, css := range []string{".b{color:#fff}", "*{color:#fff}", "a b c d e f g h{color:#fff}", "[a]{top:0}", "@media x{", "{", "}", "a{b:(", "\\", "/*", "a,", "a:not(b):not(c)", ":not", "'", "<!--"} {
		var s Sheet
		s.Reset()
		start := time.Now()
		s.Add([]byte(strings.Repeat(css, 1<<20/len(css))), true)
		path := open(strings.Repeat("div.b ", 200))
		for i := range 10_000 {
			var st Style
			s.Apply(&st, path[:1+i%200])
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%q takes %v", css, took)
		}
	}
}

// Rules of one block share its declarations, and what elements take of long blocks is limited.
func TestLongBlocks(t *testing.T) {
	t.Parallel()
	var s Sheet
	s.Reset()
	s.Add([]byte(strings.Repeat("p:x,", 9)+"p:x{"+strings.Repeat("opacity:1;", 1<<16)+"}p::before{content:'"+strings.Repeat("a", 1<<20)+"'attr(x)}"), true)
	if len(s.rules) != 11 || &s.rules[0].declarations[0] != &s.rules[9].declarations[0] {
		t.Errorf("%d rules, or each has declarations of its own", len(s.rules))
	}
	s.rules[0].declarations = s.rules[0].declarations[:1<<16]
	var content, applied int
	for ; !s.Full(); applied++ {
		var st Style
		s.Apply(&st, open("p"))
		content += len(st.Content)
	}
	if applied > 10 || content > 16<<20 {
		t.Errorf("%d elements take %d bytes", applied, content)
	}
}

func FuzzSheet(f *testing.F) {
	f.Add([]byte("@media x{.a>b[c='d']:not(#e)::before{content:'x' attr(y);color:rgb(1,2,3)!important}}"), "p.a#b i")
	f.Fuzz(func(t *testing.T, css []byte, path string) {
		before := string(css)
		var s Sheet
		s.Reset()
		s.Add(css, true)
		var st Style
		st.Attribute(css)
		if list := open(path); len(list) > 0 {
			s.Apply(&st, list)
		}
		if string(css) != before {
			t.Fatal("the sheet was changed")
		}
		for p := range properties {
			if v := st.Get(p, 0); p != Color && p != Background && v != 0 && v != 1 {
				t.Fatalf("property %d is %d", p, v)
			}
		}
	})
}
