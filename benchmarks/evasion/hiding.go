package evasion

import "strings"

// hidden writes the words with hidden letters within every third, and chaff in hidden
// text between lines.
func hidden(head, open, end string) func(t text) string {
	return func(t text) string {
		var b strings.Builder
		b.WriteString("<html><head>" + head + "</head><body>\n")
		chaff := t.chaff
		for i, w := range t.words {
			if i%3 == 0 && !strings.Contains(open, "<div") && !strings.Contains(open, "<t") {
				w = w[:2] + open + "xq" + end + w[2:]
			}
			b.WriteString(w + " ")
			if i%8 == 7 {
				n := min(len(chaff), 20)
				b.WriteString("<br>\n" + open + strings.Join(chaff[:n], " ") + end + "\n")
				chaff = chaff[n:]
			}
		}
		b.WriteString("</body></html>\n")
		return textHTML + "\n" + b.String()
	}
}

// inlineStyles and blockStyles hide by a style attribute, of a word or of what is laid out as a block.
// Some are comments, entities and escapes in CSS.
var inlineStyles = []string{
	"display:none", "visibility:hidden", "font-size:0", "font-size:1px", "font:1px Arial", "font:0/0 a", "opacity:0",
	"opacity:.01", "mso-hide:all", "color:#FFFFFF", "color:#fdfefe", "color:white", "color:rgb(255, 255, 255)",
	"color:transparent", "color:rgba(0,0,0,0)", "color:#336699;background-color:#369",
	"position:absolute;clip:rect(0,0,0,0)", "clip-path:inset(100%)", `d\69splay:none`, "display:/* */none",
	"disp&#108;ay:no&#110;e",
}

var blockStyles = []string{
	"position:absolute;left:-9999px", "position:fixed;top:-999em", "text-indent:-9999px", "margin-left:-9999px",
	"transform:scale(0)", "max-height:0;overflow:hidden", "height:0px;overflow:hidden", "width:0;overflow:hidden",
}

func attributeWays() (list []way) {
	for _, style := range inlineStyles {
		list = append(list, way{"hidden by attribute", style, hidden("", `<span style="`+style+`">`, span)})
	}
	for _, style := range blockStyles {
		list = append(list, way{"hidden by attribute", style, hidden("", `<div style="`+style+`">`, "</div>")})
	}
	return list
}

// sheet hides by a style sheet.
func sheet(css, open, end string) func(t text) string {
	return hidden("<style>"+css+"</style>", open, end)
}

// seenBy writes the words in elements that a style sheet does not hide after all.
func seenBy(css, open, end string) func(t text) string {
	return func(t text) string {
		return textHTML + "\n<html><head><style>" + css + "</style></head><body>" + open + strings.Join(t.words, " ") + end + "</body></html>\n"
	}
}

const (
	spanB = `<span class="b">`
	span  = "</span>"
)

var hidingWays = []way{
	{"hidden by attribute", "<font color=white>", hidden("", "<font color=white>", "</font>")},
	{"hidden by attribute", "color of a table's background", hidden("", `<table bgcolor="#336699"><tr><td><font color="#336699">`, "</font></td></tr></table>")},
	{"hidden by attribute", "color of an outer background", hidden("", `<div style="background:#000"><p style="color:black">`, "</p></div>")},
	{"hidden by attribute", "hidden", hidden("", "<span hidden>", span)},
	{"hidden by element", "template", hidden("", "<template>", "</template>")},
	{"hidden by element", "script", hidden("", "<script>", "</script>")},
	{"hidden by element", "comment", hidden("", "<!--", "-->")},
	{"hidden by element", "datalist", hidden("", "<datalist>", "</datalist>")},
	{"hidden by sheet", "class", sheet(".b{display:none}", spanB, span)},
	{"hidden by sheet", "id", sheet("#b{display:none}", `<span id=b>`, span)},
	{"hidden by sheet", "element", sheet("i{display:none}", `<i>`, "</i>")},
	{"hidden by sheet", "made-up element", sheet("x-y{display:none}", `<x-y>`, "</x-y>")},
	{"hidden by sheet", "attribute", sheet("[title]{display:none}", `<span title>`, span)},
	{"hidden by sheet", "value of an attribute", sheet(`[lang="qq"]{display:none}`, `<span lang=qq>`, span)},
	{"hidden by sheet", "beginning of a value", sheet(`[class^=b]{display:none}`, `<span class=bcd>`, span)},
	{"hidden by sheet", "descendant", sheet(".a .b{display:none}", `<i class=a><span class=b>`, "</span></i>")},
	{"hidden by sheet", "child", sheet(".a > .b{display:none}", `<i class=a><span class=b>`, "</span></i>")},
	{"hidden by sheet", "body .b", sheet("body .b{display:none}", spanB, span)},
	{"hidden by sheet", "list", sheet("h1, .b ,h2{display:none}", spanB, span)},
	{"hidden by sheet", "span.b", sheet("span.b{display:none}", spanB, span)},
	{"hidden by sheet", "two classes", sheet(".a.b{display:none}", `<span class="b c a">`, span)},
	{"hidden by sheet", "@media screen", sheet("@media screen{.b{display:none}}", spanB, span)},
	{"hidden by sheet", "@media all and (min-width)", sheet("@media all and (min-width:1px){.b{display:none}}", spanB, span)},
	{"hidden by sheet", "@supports", sheet("@supports (display:block){.b{display:none}}", spanB, span)},
	{"hidden by sheet", "escapes", sheet(`.\62 {d\69 splay:none}`, spanB, span)},
	{"hidden by sheet", "comments", sheet("/*{*/.b/**/{display/**/:/*}*/none}", spanB, span)},
	{"hidden by sheet", "!important against an attribute", sheet(".b{display:none!important}", `<span class=b style="display:inline">`, span)},
	{"hidden by sheet", "in an HTML comment", sheet("<!-- .b{display:none} -->", spanB, span)},
	{"hidden by sheet", "in capitals", sheet("SPAN.b{DISPLAY:NONE}", spanB, span)},
	{"hidden by sheet", "font-size", sheet(".b{font-size:1px}", spanB, span)},
	{"hidden by sheet", "color", sheet("body{background:#eeeeee}.b{color:#eee}", spanB, span)},
	{"hidden by sheet", "position", sheet(".b{position:absolute;top:-5000px}", spanB, span)},
	{"hidden by sheet", "opacity", sheet(".b{opacity:0}", spanB, span)},
	{"hidden by sheet", "visibility", sheet(".b{visibility:hidden}", spanB, span)},
	{"hidden by sheet", "second sheet in the body", hidden("</head><body><style>.b{display:none}</style>", spanB, span)},
	{"hidden by sheet", "after a broken rule", sheet("a{color;;}.b{display:none}", spanB, span)},
	{"hidden by sheet", ":not()", sheet("span:not(.a){display:none}", spanB, span)},
	{"seen after all", "attribute against a sheet", seenBy("p{display:none}", `<p style="display:block">`, "</p>")},
	{"seen after all", "later rule", seenBy("p{display:none}p{display:block}", "<p>", "</p>")},
	{"seen after all", "more specific rule", seenBy("p.a{display:block}p{display:none}", "<p class=a>", "</p>")},
	{"seen after all", "@media print", seenBy("@media print{p{display:none}}", "<p>", "</p>")},
	{"seen after all", "visible in hidden", seenBy("", `<div style="visibility:hidden"><p style="visibility:visible">`, "</p></div>")},
	{"seen after all", "large in small", seenBy("", `<div style="font-size:0"><p style="font-size:14px">`, "</p></div>")},
	{"seen after all", "white on black", seenBy("", `<table bgcolor=black><tr><td><font color=white>`, "</font></table>")},
	{"seen after all", "white on a picture", seenBy("", `<table background="a.png"><tr><td><font color=white>`, "</font></table>")},
	{"seen after all", "hidden and not closed before", seenBy("", `<p hidden>xx<div>`, "</div>")},
	{"seen after all", ":hover", seenBy("p:hover{display:none}", "<p>", "</p>")},
}
