package bombs

import "strings"

// maxToken is the longest tag, comment or text that polya reads as one.
const maxToken = 1 << 20

// htmlBombs are pages.
var htmlBombs = []bomb{
	repeated("open elements", "", "<div>", ""),
	repeated("open hidden elements", "<div hidden>", "<div>", ""),
	repeated("hidden in hidden", "", "<div hidden><p style=display:none>", ""),
	repeated("ends", "", "</div>", ""),
	repeated("brackets", "", "<", ""),
	repeated("brackets and letters", "", "<a", ""),
	repeated("attributes", "<a ", "b=c ", ""),
	repeated("attributes without value", "<a ", "b ", ""),
	repeated("attributes of one element", "<a ", "title='x' ", ""),
	repeated("styles", "<p style='", ";display:", ""),
	repeated("quotes", "", "<a b='", ""),
	repeated("quotes of both kinds", "", "<a b='\" c=\"", ""),
	repeated("entities", "", "&amp;", ""),
	repeated("entities without end", "", "&amp", ""),
	repeated("long entities", "", "&CounterClockwiseContourIntegral", ""),
	repeated("numbers of characters", "", "&#1114111;", ""),
	repeated("one number of a character", "&#", "1", ""),
	repeated("entities in attributes", "<a title='", "&lt;&#39;", ""),
	repeated("comments", "", "<!-- -->", ""),
	repeated("beginnings of comments", "", "<!--", ""),
	repeated("dashes in a comment", "<!--", "-", ""),
	repeated("ends of no comment", "<!--", "--!", ""),
	repeated("declarations", "", "<!a>", ""),
	repeated("processing", "", "<?a>", ""),
	repeated("CDATA", "<svg>", "<![CDATA[", ""),
	repeated("scripts", "", "<script></script>", ""),
	repeated("beginnings of scripts", "", "<script>", ""),
	repeated("beginnings in a script", "<script><!--", "<script", ""),
	repeated("ends in a script", "<script>", "</scrip", ""),
	repeated("ends in a title", "<title>", "</titl", ""),
	repeated("long names", "<", "a", ""),
	repeated("long ends", "</", "a", ""),
	repeated("links", "", "<a href=http://a.example/b>", ""),
	repeated("one link", "<a href='http://a.example/", "a", ""),
	repeated("pictures", "", "<img alt=a src=b>", ""),
	repeated("no script", "", "<noscript><p>a", ""),
	repeated("zero bytes", "", "\x00<\x00", ""),
	repeated("texts of a megabyte", "", strings.Repeat("ab ", maxToken/3+1)+"<p>", ""),
	repeated("tags of a megabyte", "", "<a b='"+strings.Repeat("a", maxToken)+"'>", ""),
	repeated("comments of a megabyte", "", "<!--"+strings.Repeat("a", maxToken)+"-->", ""),
	repeated("scripts of a megabyte", "", "<script>"+strings.Repeat("a", maxToken)+"</script>", ""),
}
