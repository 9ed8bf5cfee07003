package main

import (
	"fmt"
	"strings"
)

// badFile is a hostile or broken file and why it is there.
type badFile struct{ name, why, content string }

const badHead = "From: nobody@example.org\nTo: robin@example.org\nSubject: bad\nDate: Mon, 01 Jan 2024 00:00:00 +0000\nMIME-Version: 1.0\n"

// badFiles are small files that a reader of mail must live through.
func badFiles() []badFile {
	mixed := "Content-Type: multipart/mixed; boundary=b\n\n"
	return []badFile{
		{"empty.eml", "no byte at all", ""},
		{"newline.eml", "one empty line", "\n"},
		{"only-headers.eml", "ends inside the header, without the empty line", badHead},
		{"no-separator.eml", "the body follows the header without an empty line", badHead + "This line is no header and begins the body.\nSo does this one.\n"},
		{"nul.eml", "NUL bytes in header and body", "From: a\x00b@example.org\nSubject: nul\x00nul\n\nbody\x00\x00with\x00nuls\n"},
		{"cr-only.eml", "lines end in a carriage return alone", strings.ReplaceAll(badHead+"\nold habits\n", "\n", "\r")},
		{"truncated-base64.eml", "base64 that stops in the middle of a quantum", badHead + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + string(transfer("base64", []byte(strings.Repeat("cut off here ", 12)))[:101])},
		{"bad-base64.eml", "characters that base64 does not have", badHead + "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nSGVs*bG8g!!d29y\n====\nbGQ=trailing\n"},
		{"bad-quoted-printable.eml", "lone and wrong escapes", badHead + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nlone = sign, =ZZ, =4, =\n=C3 half a character =C3=\n"},
		{"deep.eml", "a hundred multiparts inside each other", badHead + deep(100)},
		{"many-parts.eml", "five hundred empty parts", badHead + mixed + strings.Repeat("--b\n\n", 500) + "--b--\n"},
		{"no-end.eml", "a multipart without its last boundary", badHead + mixed + "--b\nContent-Type: text/plain\n\nthe rest is missing"},
		{"no-boundary.eml", "a multipart that names no boundary", badHead + "Content-Type: multipart/mixed\n\n--b\n\ntext\n--b--\n"},
		{"empty-boundary.eml", "a boundary of no characters", badHead + "Content-Type: multipart/mixed; boundary=\"\"\n\n--\n\ntext\n----\n"},
		{"wrong-charset.eml", "Latin-1 bytes that claim to be UTF-8", badHead + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nGr\xfc\xdfe aus K\xf6ln, caf\xe9\n"},
		{"unknown-charset.eml", "a charset that does not exist", badHead + "Content-Type: text/plain; charset=x-martian-7\n\nplain words after all\n"},
		{"raw-8bit-header.eml", "Latin-1 in the header without encoding", "From: J\xfcrgen <j@example.org>\nTo: robin@example.org\nSubject: Gr\xfc\xdfe\n\nbody\n"},
		{"bad-encoded-word.eml", "broken RFC 2047 words in the subject", "From: a@example.org\nSubject: =?utf-8?B?w7w?= =?utf-8?Q?=C3?= =?x?y?z?= =?utf-8?Q?no end\n\nbody\n"},
		{"long-line.eml", "a line of 20,000 characters", badHead + "\n" + strings.Repeat("long ", 4000) + "\n"},
		{"long-word.eml", "a word of 5,000 characters", badHead + "\n" + strings.Repeat("a", 5000) + "\n"},
		{"many-headers.eml", "a thousand header lines", badHead + strings.Repeat("X-More: and more\n", 1000) + "\nbody\n"},
		{"folded.eml", "a subject folded over two hundred lines", "From: a@example.org\nSubject: x\n" + strings.Repeat(" y\n", 200) + "\nbody\n"},
		{"html-as-mail.eml", "a web page in a file named as mail", "<!DOCTYPE html>\n<html><body><p>I am no mail.</p></body></html>\n"},
		{"broken-html.eml", "tags that never close, an unknown entity, a script", badHead + "Content-Type: text/html\n\n<p><b><a href=\"http://x.invalid/<p>text &bogus; &#999999999; <script>if (a < b) {\n<!-- open"},
		{"nested-message.eml", "a message in a message in a message", badHead + "Content-Type: message/rfc822\n\n" + badHead + "Content-Type: message/rfc822\n\n" + badHead + "\ninnermost\n"},
		{"binary.bin", "bytes without any sense", binary(600)},
		{"latin1.txt", "text in Latin-1, not mail", "Gr\xfc\xdfe, \xe0 bient\xf4t, ma\xf1ana: caf\xe9 cr\xe8me.\n"},
		{"utf16.txt", "text in UTF-16 with a byte order mark", "\xff\xfeh\x00e\x00l\x00l\x00o\x00\n\x00"},
		{"torn.mbox", "an mbox whose second message is only its From line", "From a@example.org Thu Aug 22 12:36:23 2002\n" + badHead + "\nfirst\n\nFrom b@example.org Thu Aug 22 12:36:24 2002\n"},
		{"mixed.jsonl", "good lines between bad ones", "{\"text\":\"good\",\"class\":\"a\"}\n{\"text\":\nnull\n{\"text\":5}\n{\"text\":\"also good\"}"},
	}
}

// deep nests n multiparts.
func deep(n int) string {
	var open, end strings.Builder
	for i := range n {
		fmt.Fprintf(&open, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		fmt.Fprintf(&end, "--b%d--\n", n-1-i)
	}
	return open.String() + "Content-Type: text/plain\n\nat the bottom\n" + end.String()
}

func binary(n int) string {
	r := seeded("binary")
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.next())
	}
	return string(b)
}

// badReadme lists the files with a line each.
func badReadme() string {
	var b strings.Builder
	b.WriteString("# Broken and hostile files\n\nA reader must answer each of them with a document or one clear error: no panic, no endless loop, no\nmuch memory. Written by `go run ./testdata/generate`.\n\n")
	for _, f := range badFiles() {
		fmt.Fprintf(&b, "- `%s`: %s\n", f.name, f.why)
	}
	return b.String()
}
