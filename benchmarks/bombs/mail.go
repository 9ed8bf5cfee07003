package bombs

import (
	"encoding/base64"
	"strings"

	"github.com/polya-classifier/polya/tokenize/mail"
)

// wrapped returns a message in base64 in a message in base64, and so on.
func wrapped(media string) func(n int) []byte {
	return func(n int) []byte {
		b := []byte("Subject: plum\n\nplum\n")
		for len(b) < n {
			b = append([]byte("Content-Type: "+media+"\nContent-Transfer-Encoding: base64\n\n"), base64.StdEncoding.AppendEncode(nil, b)...)
		}
		return b
	}
}

// longBoundary has a boundary as long as fits a header, and a body that is almost that
// boundary all over: a search that restarts at each of its lines would compare the whole
// boundary there. Its line breaks are encoded by RFC 2231.
func longBoundary(n int) []byte {
	line := "--abcdefghijklm"
	coded := strings.Repeat("%0A"+line, min(n/4, mail.MaxHeaderBytes/2)/len(line))
	return fill("Content-Type: multipart/mixed; boundary*=utf-8''"+strings.TrimPrefix(coded, "%0A--")+"x\n\n", "\n"+line, "\n", n)
}

const (
	mixed = "Content-Type: multipart/mixed; boundary=b\n\n"
	page  = "Content-Type: text/html\n\n"
)

// mailBombs are messages.
var mailBombs = []bomb{
	// Nesting.
	counted("nested multiparts", "", "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", "\nplum\n"),
	repeated("nested multiparts of one boundary", "", mixed+"--b\n", "\nplum\n"),
	repeated("nested messages", "", "Subject: x\nContent-Type: message/rfc822\n\n", "Subject: x\n\nplum"),
	repeated("nested messages, bare CR", "", "Subject: x\rContent-Type: message/rfc822\r\r", "Subject: x\r\rplum"),
	repeated("nested digests", "", "Content-Type: multipart/digest; boundary=b\n\n--b\n\n", "plum"),
	{"base64 of base64", wrapped("message/rfc822")},
	{"base64 of a text of base64", wrapped("text/plain")},

	// Headers.
	repeated("header fields", "", "X-A: b\n", "\nplum"),
	counted("header fields of many names", "", "X-A%d: b%d\n", "\nplum"),
	repeated("header fields in parts", mixed, "--b\nX-A: b\nX-A: b\nX-A: b\nX-A: b\nX-A: b\n\nx\n", "--b--\n"),
	repeated("one header field", "Subject: ", "a", "\n\nplum"),
	repeated("one field of words", "Subject: ", "ab ", "\n\nplum"),
	repeated("one field without end", "Subject: x\nX-Long: ", "a", ""),
	repeated("folded lines", "Subject: x\n", " pear\n", "\nplum"),
	repeated("folded spaces", "Subject: x\n", " \n", "\nplum"),
	repeated("lines that are no fields", "Subject: x\n", "x-y\n", "\nplum"),
	repeated("addresses", "To: ", "a@b.example, ", "\n\nplum"),
	repeated("at signs", "To: ", "@", "\n\nplum"),
	repeated("open quotes", "To: ", "\"", "\n\nplum"),
	repeated("open comments", "To: ", "(", "\n\nplum"),
	repeated("open brackets", "From: ", "<", "\n\nplum"),
	repeated("quotes in comments", "From: ", "(\"<", "\n\nplum"),
	repeated("marks of filters", "Subject: ", "[spam] ", "\n\nplum"),
	repeated("marks without end", "Subject: ", "[spam 1.0 ", "\n\nplum"),
	repeated("Received fields", "", "Received: from a.example (b.example [10.1.2.3]) by c.example; x\n", "\nplum"),
	repeated("one Received field", "Received: ", "a.b.example ", "\n\nplum"),
	repeated("results", "Authentication-Results: a;", "spf=pass;", "\n\nplum"),
	repeated("From lines", "", "From a Thu Aug 22 12:36:23 2002\n", "Subject: x\n\nplum"),
	repeated("quoted From lines", "", ">>>>>>>>>>>>From a\n", "Subject: x\n\nplum"),
	repeated("empty lines", "", "\n", "Subject: x\n\nplum"),
	repeated("returns", "", "\r", ""),
	repeated("zero bytes", "", "\x00", ""),
	repeated("zero bytes in a header", "Subject: ", "\x00", "\n\nplum"),
	repeated("time in words", "Date: ", "1 Jan ", "\n\nplum"),

	// Encoded words and parameters.
	repeated("encoded words", "Subject: ", "=?utf-8?q?=C3=A9?= ", "\n\nplum"),
	repeated("encoded words of many charsets", "Subject: ", "=?gbk?q?=B0?= =?koi8-r?b?sA?= =?iso-2022-jp?q?=1B$B?= =?hz?q?~{~?= ", "\n\nplum"),
	repeated("encoded words of no charset", "Subject: ", "=?x?q?=B0?= =?y?b?sA?= ", "\n\nplum"),
	repeated("encoded words without end", "Subject: ", "=?a?q?b ", "\n\nplum"),
	repeated("beginnings of encoded words", "Subject: ", "=?", "\n\nplum"),
	repeated("encoded words in parameters", "Content-Disposition: attachment; filename=\"", "=?utf-8?q?a?=", "\"\n\nplum"),
	counted("continued parameters", "Content-Type: text/plain", "; name*%d=a%d", "\n\nplum"),
	counted("continued boundaries", "Content-Type: multipart/mixed", "; boundary*%d*=%%41%d", "\n\nplum"),
	repeated("parameters", "Content-Type: text/plain", ";a=b", "\n\nplum"),
	repeated("parameters without value", "Content-Type: text/plain", ";a", "\n\nplum"),

	// Parts and boundaries.
	repeated("tiny parts", mixed, "--b\n\nx\n", "--b--\n"),
	repeated("parts without body", mixed, "--b\n", "--b--\n"),
	repeated("parts without type", "Content-Type: multipart/mixed\n\n", "--b\nContent-A: b\n\nx\n", ""),
	repeated("beginnings of boundaries", mixed+"--b\n\n", "--bx\n", ""),
	repeated("boundaries in lines", mixed+"--b\n\n", "--b --b ", ""),
	repeated("dashes", mixed+"--b\n\n", "-", ""),
	repeated("lines of a dash", mixed+"--b\n\n", "\n-", ""),
	repeated("boundaries and spaces", mixed+"--b\n\n", "\n--b          x", ""),
	{"a long boundary", longBoundary},

	// Texts of one line, encodings and charsets.
	repeated("one word", "Subject: x\n\n", "a", ""),
	repeated("one line", "Subject: x\n\n", "plum ", ""),
	repeated("a line of base64", "Content-Transfer-Encoding: base64\n\n", "cGx1", ""),
	repeated("a line of no base64", "Content-Transfer-Encoding: base64\n\n", "!", ""),
	repeated("padding", "Content-Transfer-Encoding: base64\n\n", "=", ""),
	repeated("a line of quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\n", "=61", ""),
	repeated("soft breaks", "Content-Transfer-Encoding: quoted-printable\n\n", "=\n", ""),
	repeated("soft breaks without end", "Content-Transfer-Encoding: quoted-printable\n\n", "= ", ""),
	repeated("uuencoded files", "Subject: x\n\n", "begin 644 x\n#86)C\nend\n", ""),
	repeated("beginnings of files", "Subject: x\n\n", "begin 644 x\n", ""),
	repeated("armour", "Subject: x\n\n", strings.Repeat("A", 64)+"\nb\n", ""),
	repeated("ISO-2022-JP", "Content-Type: text/plain; charset=iso-2022-jp\n\n", "\x1b$B\x1b(B", ""),
	repeated("HZ", "Content-Type: text/plain; charset=hz\n\n", "~{~}", ""),
	repeated("UTF-16", "Content-Type: text/plain; charset=utf-16\n\n", "\xd8\x00", ""),
	repeated("UTF-7", "Content-Type: text/plain; charset=utf-7\n\n", "+AGE-", ""),
	repeated("GB 18030", "Content-Type: text/plain; charset=gb18030\n\n", "\x81\x30\x81", ""),
	repeated("a page", page, "<b>", ""),
	repeated("a page of links", page, "<a href=http://a.example/b>", ""),
	repeated("one link", page+"<a href='http://a.example/", "a", "'>"),
}
