package bombs

import (
	"bytes"
	"strings"
)

// dated is the line before a message in an mbox.
const dated = "From a@example.org Thu Aug 22 12:36:23 2002\n"

// mboxBombs are files of messages.
var mboxBombs = []bomb{
	repeated("messages without anything", "", dated+"\n", ""),
	repeated("small messages", "", dated+"Subject: x\n\ny\n\n", ""),
	repeated("one line", dated+"Subject: x\n\n", "a", ""),
	repeated("empty lines", dated, "\n", ""),
	repeated("empty lines before", "", "\n", dated),
	repeated("From lines in a body", dated, "\nFrom a\n", ""),
	repeated("long From lines", dated, "\nFrom "+strings.Repeat("a ", 480)+"\n", ""),
	repeated("From lines of times", dated, "\nFrom "+strings.Repeat("12:00 ", 160)+"\n", ""),
	repeated("From lines of years", dated, "\nFrom "+strings.Repeat("2002 ", 190)+"\n", ""),
	repeated("quoted From lines", dated, ">>>>>>>>From a\n", ""),
	repeated("brackets", dated, ">", "From a\n"),
	repeated("zero bytes", dated, "\x00", ""),
	repeated("returns", dated, "\r", ""),
}

// jsonBombs are files of JSON lines.
var jsonBombs = []bomb{
	repeated("lines without anything", "", "{}\n", ""),
	repeated("lines that are no JSON", "", "x\n", ""),
	repeated("small documents", "", `{"text":"x"}`+"\n", ""),
	repeated("one text", `{"text":"`, "a", `"}`),
	repeated("one text of escapes", `{"text":"`, `\u0000`, `"}`),
	repeated("one text of halves of pairs", `{"text":"`, `\ud800`, `"}`),
	repeated("one text without end", `{"text":"`, "a", ""),
	repeated("one class", `{"text":"x","class":"`, "a", `"}`),
	repeated("one class of digits", `{"text":"x","class":`, "1", `}`),
	repeated("one time", `{"text":"x","time":"`, "a", `"}`),
	repeated("one time of digits", `{"text":"x","time":`, "1", `}`),
	repeated("a text of numbers", `{"text":[0`, ",1", `]}`),
	repeated("a class of numbers", `{"text":"x","class":[0`, ",1", `]}`),
	repeated("other keys", `{"text":"x"`, `,"a":1`, `}`),
	counted("other keys of many names", `{"text":"x"`, `,"a%d":%d`, `}`),
	repeated("keys that come again", `{"text":"x"`, `,"TEXT":"y"`, `}`),
	counted("attributes", `{"attributes":{"a":0`, `,"a%d":%d`, `}}`),
	repeated("an attribute that comes again", `{"attributes":{"a":0`, `,"b":1`, `}}`),
	repeated("an attribute of one string", `{"attributes":{"a":"`, `b`, `"}}`),
	repeated("an attribute of one number", `{"attributes":{"a":1`, `0`, `}}`),
	repeated("an attribute of one name", `{"attributes":{"`, `a`, `":1}}`),
	nested("nested arrays", `{"text":"x","a":`, "[", "1", "]", "}"),
	nested("nested objects", `{"text":"x","a":`, `{"a":`, "1", "}", "}"),
	nested("a text of nested arrays", `{"text":`, "[", "1", "]", "}"),
	nested("attributes of nested objects", `{"attributes":`, `{"a":`, "1", "}", "}"),
	repeated("arrays without end", `{"text":"x","a":`, "[", ""),
	repeated("spaces", `{"text":"x"}`, " ", ""),
}

// csvBombs are tables.
var csvBombs = []bomb{
	repeated("rows of one cell", "a\n", "1\n", ""),
	counted("rows of many values", "a,b\n", "x%d,y%d\n", ""),
	repeated("empty lines", "a,b\n", "\n", ""),
	repeated("columns", "a", ",a", "\n1,2\n"),
	counted("columns of many names", "a", ",a%d%d", "\n1,2\n"),
	repeated("cells", "a,b\n1", ",", "\n1,2\n"),
	repeated("one cell", "text,b\n", "a", ",1\n"),
	repeated("one cell of a column", "a,b\n", "a", ",1\n"),
	repeated("one number", "a,b\n", "1", ",1\n"),
	repeated("one quoted cell", "text,b\n\"", "a", "\",1\n"),
	repeated("quotes in a cell", "text,b\n\"", `""`, "\",1\n"),
	repeated("a quote without end", "text,b\n\"", "a", ""),
	repeated("a quote without end, in lines", "text,b\n\"", "a\n", ""),
	repeated("quotes", "text,b\n", `"`, ""),
	repeated("bare quotes", "text,b\n", "a\"b\n", ""),
	repeated("quotes behind quotes", "text,b\n", "\"a\"b\n", ""),
	repeated("returns", "text,b\n", "\r", ""),
	repeated("spaces", "text,b\n", " ", ""),
	repeated("bytes that are no UTF-8", "a,b\n1,", "\xff", "\n"),
	{"UTF-16", func(n int) []byte {
		return bytes.Join([][]byte{{0xff, 0xfe}, []byte("a\x00\n\x00"), fill("", "\x00\xd8", "", n)}, nil)
	}},
}

// dumpHead is the beginning of the dump of a database without an analyzer.
const dumpHead = "polya-dump\t1\nanalyzer\t\nvocabulary\t0\n"

// dumpBombs are dumps of databases.
var dumpBombs = []bomb{
	repeated("one line", "", "a", ""),
	repeated("one line of tabs", "", "\t", ""),
	repeated("one class", dumpHead+"class\t", "a", "\t1\t1\t1\n"),
	repeated("one escaped class", dumpHead+"class\t", `\x00`, "\t1\t1\t1\n"),
	repeated("cells of a class", dumpHead+"class\ta", "\t1", "\n"),
	counted("classes", dumpHead, "class\ta%010d\t%d\t1\t1\n", ""),
	counted("lengths", dumpHead+"class\ta\t1\t1\t1\nlengths", "\t%d:%d", "\n"),
	repeated("one term", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\nterm\t", "a", "\t0:1:1:1\n"),
	repeated("cells of a term", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\nterm\ta", "\t0:1", "\n"),
	repeated("histogram of a term", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\nterm\ta\t0:1", ":1", "\n"),
	counted("terms", dumpHead+"class\ta\t1\t1\t1\nlengths\t1:1\n", "term\ta%010d\t0:%d\n", ""),
	repeated("numbers of many digits", dumpHead+"class\ta\t", "1", "\t1\t1\n"),
	repeated("empty lines", dumpHead, "\n", ""),
}
