package generate

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"mime"
	"mime/quotedprintable"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
)

// form is how a text is written: its charset and transfer encoding.
type form struct{ charset, transfer string }

// forms are what people's programs write, by language; repeated ones are common.
var forms = map[string][]form{
	"en": {{"us-ascii", "7bit"}, {"us-ascii", "7bit"}, {"utf-8", "7bit"}, {"utf-8", "quoted-printable"}, {"utf-8", "base64"},
		{"iso-8859-1", "quoted-printable"}, {"windows-1252", "8bit"}},
	"west": {{"utf-8", "quoted-printable"}, {"utf-8", "8bit"}, {"utf-8", "base64"}, {"iso-8859-1", "quoted-printable"},
		{"iso-8859-1", "8bit"}, {"iso-8859-15", "quoted-printable"}, {"windows-1252", "quoted-printable"}, {"windows-1252", "8bit"}},
	"ru": {{"koi8-r", "8bit"}, {"koi8-r", "base64"}, {"koi8-r", "quoted-printable"}, {"windows-1251", "base64"}, {"utf-8", "base64"}, {"utf-8", "8bit"}},
	"ja": {{"iso-2022-jp", "7bit"}, {"iso-2022-jp", "7bit"}, {"utf-8", "base64"}, {"shift_jis", "base64"}},
}

var charsets = map[string]encoding.Encoding{
	"iso-8859-1": charmap.ISO8859_1, "iso-8859-15": charmap.ISO8859_15, "windows-1252": charmap.Windows1252,
	"koi8-r": charmap.KOI8R, "windows-1251": charmap.Windows1251, "iso-2022-jp": japanese.ISO2022JP, "shift_jis": japanese.ShiftJIS,
}

// plainer is what people type where their charset lacks a character.
var plainer = strings.NewReplacer("’", "'", "€", "EUR", "£", "GBP ")

// chooseForm picks a form that can hold text; text may lose its finer characters
// for that.
func chooseForm(r *random, lang, text string) (form, func(string) []byte) {
	list := forms[lang]
	if list == nil {
		list = forms["west"]
	}
	for {
		f := pick(r, list)
		for _, change := range []func(string) string{func(s string) string { return s }, plainer.Replace} {
			if _, err := encode(f, change(text)); err == nil {
				return f, func(s string) []byte { b, _ := encode(f, change(s)); return b }
			}
		}
		list = append(list, form{"utf-8", "quoted-printable"})
	}
}

// encode writes s in the charset of f, if that has all its characters.
func encode(f form, s string) ([]byte, error) {
	if f.charset == "us-ascii" || f.transfer == "7bit" && f.charset == "utf-8" {
		for i := range len(s) {
			if s[i] > 126 {
				return nil, fmt.Errorf("%q is not ASCII", s[i])
			}
		}
	}
	if e := charsets[f.charset]; e != nil {
		return e.NewEncoder().Bytes([]byte(s))
	}
	return []byte(s), nil
}

// part is a body with its header lines.
type part struct {
	header []string
	body   []byte
}

func (p part) write(b *bytes.Buffer) {
	for _, h := range p.header {
		b.WriteString(h + "\n")
	}
	b.WriteByte('\n')
	b.Write(p.body)
}

// textPart is content, already in the charset of f, as a part of type text/kind.
func textPart(f form, kind string, content []byte) part {
	p := part{header: []string{
		fmt.Sprintf("Content-Type: text/%s; charset=%s", kind, f.charset),
		"Content-Transfer-Encoding: " + f.transfer,
	}}
	p.body = transfer(f.transfer, content)
	return p
}

func transfer(name string, content []byte) []byte {
	var b bytes.Buffer
	switch name {
	case "base64":
		s := base64.StdEncoding.EncodeToString(content)
		for len(s) > 76 {
			b.WriteString(s[:76] + "\n")
			s = s[76:]
		}
		b.WriteString(s + "\n")
	case "quoted-printable":
		w := quotedprintable.NewWriter(&b)
		w.Write(content)
		w.Close()
		return bytes.ReplaceAll(b.Bytes(), []byte("\r\n"), []byte("\n"))
	default:
		b.Write(content)
	}
	return b.Bytes()
}

// multipart joins parts under a boundary made from the message id.
func multipart(kind, boundary string, parts ...part) part {
	var b bytes.Buffer
	for _, p := range parts {
		b.WriteString("--" + boundary + "\n")
		p.write(&b)
		b.WriteByte('\n')
	}
	b.WriteString("--" + boundary + "--\n")
	return part{header: []string{fmt.Sprintf("Content-Type: multipart/%s; boundary=%q", kind, boundary)}, body: b.Bytes()}
}

// encodedWord writes a header value, as an RFC 2047 word where it is not ASCII.
func encodedWord(f form, charset func(string) []byte, s string) string {
	if f.transfer == "base64" || f.charset == "iso-2022-jp" {
		return mime.BEncoding.Encode(f.charset, string(charset(s)))
	}
	return mime.QEncoding.Encode(f.charset, string(charset(s)))
}

// plainText joins the paragraphs, with lines of at most 72 characters (36 in
// Japanese, which has no spaces to break at).
func plainText(paragraphs []string, lang string) string {
	var b strings.Builder
	for i, p := range paragraphs {
		if i > 0 {
			b.WriteByte('\n')
		}
		if lang == "ja" {
			b.WriteString(wrapRunes(p, 36))
		} else {
			b.WriteString(wrapWords(p, 72))
		}
	}
	return b.String()
}

func wrapWords(s string, width int) string {
	var b strings.Builder
	for line := range strings.SplitSeq(s, "\n") {
		n := 0
		for i, w := range strings.Fields(line) {
			l := utf8.RuneCountInString(w)
			if i > 0 && n+1+l > width {
				b.WriteByte('\n')
				n = 0
			} else if i > 0 {
				b.WriteByte(' ')
				n++
			}
			b.WriteString(w)
			n += l
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func wrapRunes(s string, width int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n >= width && !strings.ContainsRune("。、）", r) { // these begin no line
			b.WriteByte('\n')
			n = 0
		}
		b.WriteRune(r)
		n++
	}
	b.WriteByte('\n')
	return b.String()
}

// page is the HTML form of a message. Newsletters have a frame, spam has what spam
// has: words that are not seen and a picture that counts.
func page(r *random, m *message, hidden string) string {
	var b strings.Builder
	b.WriteString("<html><head><title>" + html.EscapeString(m.subject) + "</title></head>\n<body>\n")
	switch m.class {
	case "newsletter":
		fmt.Fprintf(&b, "<table width=\"600\"><tr><td style=\"font-family:Georgia,serif\"><h1>%s</h1>\n", html.EscapeString(m.from.name))
	case "spam":
		if hidden != "" {
			fmt.Fprintf(&b, "<div style=\"display:none;font-size:0\">%s</div>\n", html.EscapeString(hidden))
		}
	}
	for _, p := range m.paragraphs {
		p = html.EscapeString(p)
		if link := html.EscapeString(m.url); strings.Contains(p, link) {
			p = strings.ReplaceAll(p, link, `<a href="`+link+`">`+pick(r, []string{link, "&gt;&gt;", m.from.domain})+"</a>")
		}
		b.WriteString("<p>" + wrapWords(p, 90) + "</p>\n")
	}
	switch m.class {
	case "newsletter":
		b.WriteString("</td></tr></table>\n")
	case "spam":
		fmt.Fprintf(&b, "<img src=\"http://%s/p.gif?u=%d\" width=\"1\" height=\"1\">\n", m.from.domain, r.below(1e6))
	}
	return b.String() + "</body></html>\n"
}
