package evasion

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

var ways = slices.Concat(attributeWays(), hidingWays, listedWays(), letterWays, orderWays, pageWays, partWays)

// plain writes the words as plain text, each changed by f, with a separator.
func plain(separator string, f func(word string) string) func(t text) string {
	return func(t text) string { return textPlain + "\n" + joined(t, separator, f) }
}

// page writes the words as HTML, each changed by f.
func page(before, separator, after string, f func(word string) string) func(t text) string {
	return func(t text) string {
		return textHTML + "\n<html><body>" + before + joined(t, separator, f) + after + "</body></html>\n"
	}
}

// joined returns the words, each changed by f, in lines of eight.
func joined(t text, separator string, f func(word string) string) string {
	var b strings.Builder
	for i, w := range t.words {
		b.WriteString(f(w))
		if i%8 == 7 && !strings.ContainsAny(separator, "\n<") {
			b.WriteString("\n")
		} else {
			b.WriteString(separator)
		}
	}
	return b.String() + "\n"
}

func same(word string) string { return word }

// mapped replaces letters: table has after each letter its replacements, which take turns.
func mapped(table string, every int) func(string) string {
	var to [26][]rune
	for f := range strings.FieldsSeq(table) {
		r := []rune(f)
		to[r[0]-'a'] = r[1:]
	}
	turn := 0
	return func(word string) string {
		out := []rune(word)
		for i, r := range out {
			if list := to[r-'a']; len(list) > 0 {
				if turn++; turn%every == 0 {
					out[i] = list[turn%len(list)]
				}
			}
		}
		return string(out)
	}
}

// shifted replaces a to z by 26 characters from first on.
func shifted(first rune) func(string) string {
	return func(word string) string {
		return strings.Map(func(r rune) rune { return first + r - 'a' }, word)
	}
}

// within puts a string between the letters of a word.
func within(s string) func(string) string {
	return func(word string) string { return strings.Join(strings.Split(word, ""), s) }
}

// after puts a string behind each letter.
func after(s string) func(string) string {
	return func(word string) string { return within(s)(word) + s }
}

// each formats each character by its number.
func each(format string) func(string) string {
	return func(word string) (out string) {
		for _, r := range word {
			out += fmt.Sprintf(format, r)
		}
		return out
	}
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

const (
	cyrillic = "aа cс eе hһ iі jј kк lӏ oо pр qԛ sѕ wԝ xх yу"
	greek    = "aα eε iι kκ nη oο pρ tτ uυ vν wω xχ yγ"
	many     = "aаα cсϲ dԁ eеҽ gɡց hһ iіι jјϳ kкκ lӏⅼ mⅿ nո oоοօ pрρ qԛ rг sѕꜱ uυս vνѵ wԝ xхχ yуγ"
	small    = "aᴀ bʙ cᴄ dᴅ eᴇ fꜰ gɢ hʜ iɪ jᴊ kᴋ lʟ mᴍ nɴ oᴏ pᴘ qǫ rʀ sꜱ tᴛ uᴜ vᴠ wᴡ yʏ zᴢ"
	accents  = "aáàâãäåā cçćč eéèêëēę iíìîïī nñńň oóòôõöøō sśšş uúùûüū yýÿ zžźż"
	everyone = "aáàâãäåā bḃ cçćč dďḋ eéèêëēę fḟ gğģ hĥḣ iíìîïī jĵ kķḱ lĺľł mṁḿ nñńň oóòôõöøō pṗṕ rŕř sśšş tťţṫ uúùûüū vṽ wŵẁ xẋ yýÿ zžźż"
	leet     = "a4 e3 i1 o0 s5"
	cherokee = "aᎪ bᏴ cᏟ dᎠ eᎬ gᏀ hᎻ iᎥ jᎫ kᏦ lᏞ mᎷ oᎾ pᏢ rᏒ sᏚ tᎢ vᏙ wᎳ yᎩ zᏃ"
	turned   = "aɐ bq cɔ dp eǝ fɟ gƃ hɥ iᴉ jɾ kʞ mɯ nu pd qb rɹ tʇ un vʌ wʍ yʎ"
	raised   = "aᵃ bᵇ cᶜ dᵈ eᵉ fᶠ gᵍ hʰ iⁱ jʲ kᵏ lˡ mᵐ nⁿ oᵒ pᵖ rʳ sˢ tᵗ uᵘ vᵛ wʷ xˣ yʸ zᶻ"
)

// These are put between the letters of a word without being seen, and behind each letter: zero width
// spaces, joiners, soft hyphens and other marks that have no width; accents, lines and circles.
var unseen = []string{
	"\u200b", "\u200c", "\u00ad", "\u2060", "\u034f", "\u2062", "\ufeff", "\u200e", "\u180e", "\u3164", "\ufff9",
}

var behind = []string{
	"\u0301", "\u0330", "\u0336", "\u0332", "\u20dd", "\u0301\u0316\u0330\u034d\u0353", "\U000e0061", "\ufe0f",
}

// alphabets begin with letters that stand for a to z.
const alphabets = "ａⓐ🅐🄰🅰🇦⒜𝐚𝓪𝚊"

// separators are put between letters, which stay apart from the next word, and joints between words.
var separators, joints = []string{".", "-", "_", "*", "/", ",", "·", "–", "😀"}, []string{"_", ".", "/", "-", "\u00a0", "\u200b "}

// nothings are put into a word.
var nothings = []string{
	"<b></b>", "<xyzzy>", "<!-- x -->", "<!x>", "<wbr>", "&shy;", "&zwnj;", "\x00", "</font></td>",
}

func listedWays() (list []way) {
	for _, a := range alphabets {
		list = append(list, way{"letters", string(a), plain(" ", shifted(a))})
	}
	for _, c := range unseen {
		list = append(list, way{"letters", fmt.Sprintf("%+q within", c), plain(" ", within(c))})
	}
	for _, c := range behind {
		list = append(list, way{"letters", fmt.Sprintf("%+q behind", c), plain(" ", after(c))})
	}
	for _, c := range separators {
		list = append(list, way{"split", fmt.Sprintf("%+q", c), spaced(c, " ")})
	}
	for _, c := range joints {
		list = append(list, way{"joined", fmt.Sprintf("%+q", c), plain(c, same)})
	}
	for _, c := range nothings {
		list = append(list, way{"page", fmt.Sprintf("%+q within", c), page("", " ", "", tagged(c))})
	}
	return list
}

var letterWays = []way{
	{"letters", "as it is", plain(" ", same)},
	{"letters", "Cyrillic, every other", plain(" ", mapped(cyrillic, 2))},
	{"letters", "Cyrillic, all there are", plain(" ", mapped(cyrillic, 1))},
	{"letters", "Greek", plain(" ", mapped(greek, 2))},
	{"letters", "many scripts", plain(" ", mapped(many, 1))},
	{"letters", "Cherokee", plain(" ", mapped(cherokee, 1))},
	{"letters", "small capitals", plain(" ", mapped(small, 1))},
	{"letters", "turned", plain(" ", func(w string) string { return reversed(mapped(turned, 1)(w)) })},
	{"letters", "raised", plain(" ", mapped(raised, 1))},
	{"letters", "accents on vowels and some", plain(" ", mapped(accents, 1))},
	{"letters", "an accent now and then", plain(" ", mapped(accents, 3))},
	{"letters", "accents on all", plain(" ", mapped(everyone, 1))},
	{"letters", "digits for vowels and s", plain(" ", mapped(leet, 1))},
	{"letters", "a digit now and then", plain(" ", mapped(leet, 2))},
	{"letters", "$ and @ and !", plain(" ", mapped("a@ s$ i!", 2))},
}

// spaced puts a string between letters and, if it could be taken for one, more between words.
func spaced(between, words string) func(t text) string { return plain(words, within(between)) }

var orderWays = []way{
	{"order", "right-to-left override, a line", func(t text) string {
		return textPlain + "\n" + "\u202e" + strings.ReplaceAll(reversed(strings.TrimSpace(joined(t, " ", same))), "\n", "\u202c\n\u202e") + "\u202c\n"
	}},
	{"order", "right-to-left override, a word", plain(" ", func(w string) string { return "\u202e" + reversed(w) + "\u202c" })},
	{"order", "override not closed", plain("\n", func(w string) string { return "\u202e" + reversed(w) })},
	{"order", "override by entity", page("", " ", "", func(w string) string { return "&#x202e;" + reversed(w) + "&#x202c;" })},
	{"order", "bdo", page("", " ", "", func(w string) string { return "<bdo dir=rtl>" + reversed(w) + "</bdo>" })},
	{"order", "bdo around all", page(`<bdo dir="rtl">`, "<br>", "</bdo>", reversed)},
	{"order", "bidi-override by attribute", page("", " ", "", func(w string) string {
		return `<span style="unicode-bidi:bidi-override;direction:rtl">` + reversed(w) + span
	})},
	{"order", "bidi-override by sheet", page("<style>.r{direction:rtl;unicode-bidi:bidi-override}</style>", " ", "", func(w string) string {
		return `<span class=r>` + reversed(w) + span
	})},
	{"split", "blanks", spaced(" ", "   ")},
	{"split", "bars", spaced("|", " ")},
	{"split", "two blanks", spaced("  ", "     ")},
	{"split", "no-break spaces", spaced("\u00a0", "   ")},
	{"split", "a letter a line", spaced("\n", "\n\n")},
	{"split", "breaks", page("", "<br><br>", "", within("<br>"))},
	{"split", "a letter a cell", page("<table>", "", "</table>", func(w string) string { return "<tr><td>" + within("</td><td>")(w) + "</td></tr>\n" })},
	{"split", "a letter a row", page("", "", "", func(w string) string {
		return "<table><tr><td>" + within("</td></tr>\n<tr><td>")(w) + "</td></tr></table>\n"
	})},
	{"split", "a letter a paragraph", page("", "<br><br>", "", func(w string) string { return "<p>" + within("</p><p>")(w) + "</p>" })},
}

// tagged puts a tag into the middle of a word.
func tagged(tag string) func(string) string {
	return func(w string) string { return w[:2] + tag + w[2:] }
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

var pageWays = []way{
	{"page", "decimal entities", page("", " ", "", each("&#%d;"))},
	{"page", "hexadecimal entities", page("", " ", "", each("&#x%04X;"))},
	{"page", "entities without semicolons", page("", " ", "", each("&#%07d"))},
	{"page", "letters in fonts", page("", " ", "", within("</font><font size=2>"))},
	{"page", "plaintext", page("<plaintext>", " ", "", same)},
	{"page", "xmp", page("<xmp>", " ", "</xmp>", same)},
	{"page", "title", page("<title x>", " ", "</title>", same)},
	{"page", "textarea", page("<textarea>", " ", "</textarea>", same)},
	{"page", "button's value", page("", " ", "", func(w string) string { return "<input type=button value=" + w + ">" })},
	{"page", "field's placeholder", page("", " ", "", func(w string) string { return `<input placeholder="` + w + `">` })},
	{"page", "alt", page("", " ", "", func(w string) string { return "<img src=x alt=" + w + ">" })},
	{"page", "marquee", page("<marquee>", " ", "</marquee>", same)},
	{"page", "noscript", page("<noscript>", " ", "</noscript>", same)},
	{"page", "SVG", page("<svg><text>", " ", "</text></svg>", same)},
	{"page", "options", page("<select>", " ", "</select>", func(w string) string { return "<option>" + w })},
	{"page", "labels of options", page("<select>", " ", "</select>", func(w string) string { return "<optgroup label=" + w + ">" })},
	{"page", "srcdoc", page(`<iframe srcdoc="`, " ", `"></iframe>`, each("&amp;#%d;"))},
	{"page", "data: in a frame", func(t text) string {
		return textHTML + "\n<iframe src='data:text/html;base64," + encoded("<b>"+joined(t, " ", same)) + "'></iframe>\n"
	}},
	{"page", "data: in an object", func(t text) string {
		return textHTML + "\n<object data='data:text/html," + strings.ReplaceAll(joined(t, "%20", same), "\n", "%0a") + "'></object>\n"
	}},
	{"page", "data: SVG in a picture", func(t text) string {
		return textHTML + "\n<img src='data:image/svg+xml;base64," + encoded("<svg><text>"+joined(t, " ", same)+"</text></svg>") + "'>\n"
	}},
	{"page", "CSS content", func(t text) string {
		var css, body strings.Builder
		for i, w := range t.words {
			fmt.Fprintf(&css, ".w%d::before{content:\"%s\"}\n", i, w)
			fmt.Fprintf(&body, "<span class=w%d></span> ", i)
		}
		return textHTML + "\n<html><head><style>" + css.String() + "</style></head><body>" + body.String() + "</body></html>\n"
	}},
	{"page", "CSS content of an attribute", page("<style>i:after{content:attr(title)}</style>", " ", "", func(w string) string { return "<i title=" + w + "></i>" })},
	{"page", "in a link to mail", page("", " ", "", func(w string) string { return "<a href='mailto:a@b.example'>" + w + "</a>" })},
}

// part writes the words in a part with these fields, its body made by f of a page or a text.
func as(fields string, html bool, f func(string) string) func(t text) string {
	return func(t text) string {
		body := joined(t, " ", same)
		if html {
			body = "<html><body><p>" + body + "</p></body></html>\n"
		}
		return fields + "\n" + f(body)
	}
}

// attachedAs writes them in an attachment below an empty text.
func attachedAs(fields string, html bool, f func(string) string) func(t text) string {
	return func(t text) string {
		return "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\n\n--x\n" + as(fields, html, f)(t) + "\n--x--\n"
	}
}

// wide writes units of a size in a byte order, after a mark.
func wide(size int, big bool, mark string) func(string) string {
	return func(s string) string {
		out := []byte(mark)
		for _, u := range utf16.Encode([]rune(s)) {
			unit := make([]byte, size)
			at := 0
			if big {
				at = size - 1
			}
			unit[at] = byte(u)
			out = append(out, unit...)
		}
		return encoded(string(out))
	}
}

const (
	octets = "Content-Type: application/octet-stream\n"
	b64    = "Content-Transfer-Encoding: base64\n"
	qp     = "Content-Transfer-Encoding: quoted-printable\n"
)

var partWays = []way{
	{"part", "base64", as(textPlain+b64, false, encoded)},
	{"part", "base64, four digits a line", as(textPlain+b64, false, func(s string) string {
		var b strings.Builder
		for i, c := range encoded(s) {
			b.WriteRune(c)
			if i%4 == 3 {
				b.WriteByte('\n')
			}
		}
		return b.String()
	})},
	{"part", "base64 in quotes", as(textPlain+"Content-Transfer-Encoding: (x) \"BASE64\"\n", false, encoded)},
	{"part", "base64 with foreign characters", as(textPlain+b64, false, func(s string) string { return strings.Join(strings.Split(encoded(s), "Q"), "Q!") })},
	{"part", "quoted-printable, each character", as(textPlain+qp, false, func(s string) string { return strings.ReplaceAll(each("=%02X")(s), "=0A", "\n") })},
	{"part", "quoted-printable, breaks in words", as(textPlain+qp, false, func(s string) string { return strings.ReplaceAll(within("=\n")(s), "=\n\n", "\n") })},
	{"part", "UTF-16 with mark", as("Content-Type: text/plain; charset=utf-16\n"+b64, false, wide(2, false, "\xff\xfe"))},
	{"part", "UTF-16BE", as("Content-Type: text/plain; charset=utf-16be\n"+b64, false, wide(2, true, ""))},
	{"part", "UTF-32 with mark", as("Content-Type: text/plain; charset=utf-32\n"+b64, false, wide(4, false, "\xff\xfe\x00\x00"))},
	{"part", "UTF-32BE with mark", as("Content-Type: text/plain; charset=utf-32\n"+b64, false, wide(4, true, "\x00\x00\xfe\xff"))},
	{"part", "UTF-32LE", as("Content-Type: text/html; charset=utf-32le\n"+b64, true, wide(4, false, ""))},
	{"part", "HTML with UTF-16 mark, no charset", as("Content-Type: text/html\n"+b64, true, wide(2, false, "\xff\xfe"))},
	{"part", "unknown charset", as("Content-Type: text/plain; charset=x-nobody\n", false, same)},
	{"part", "unknown subtype", as("Content-Type: text/x-nobody\n", false, same)},
	{"part", "type without subtype", as("Content-Type: text\n", false, same)},
	{"part", "HTML without type", as("", true, same)},
	{"part", "AMP", as("Content-Type: text/x-amp-html\n", true, same)},
	{"part", "XHTML", as("Content-Type: application/xhtml+xml\n", true, same)},
	{"part", "XML", as("Content-Type: application/xml\n", true, same)},
	{"part", "HTML as octets", attachedAs(octets+b64, true, encoded)},
	{"part", "HTML as octets, named .htm", attachedAs("Content-Type: application/octet-stream; name=a.htm\n"+b64, true, encoded)},
	{"part", "text as octets, named .txt", attachedAs("Content-Type: application/octet-stream; name=a.txt\n"+b64, false, encoded)},
	{"part", "text as octets", as(octets, false, same)},
	{"part", "HTML as a text named .htm", attachedAs("Content-Type: text/plain; name=\"a.HTM\"\nContent-Disposition: attachment\n", true, func(s string) string {
		return strings.ReplaceAll(s, "e", "<b></b>e")
	})},
	{"part", "HTML attached", attachedAs("Content-Type: text/html; name=a.html\nContent-Disposition: attachment\n"+b64, true, encoded)},
	{"part", "SVG attached", attachedAs("Content-Type: image/svg+xml; name=a.svg\n"+b64, false, func(s string) string { return encoded("<svg><text>" + s + "</text></svg>") })},
	{"part", "UTF-16 as octets", attachedAs(octets+b64, true, wide(2, false, "\xff\xfe"))},
	{"part", "calendar", attachedAs("Content-Type: text/calendar; method=REQUEST\n", false, func(s string) string {
		return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDESCRIPTION:" + strings.ReplaceAll(strings.ReplaceAll(s, "\n", `\n`), "e", "\r\n e") + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	})},
	{"part", "card", attachedAs("Content-Type: text/vcard\n", false, func(s string) string {
		return "BEGIN:VCARD\r\nVERSION:4.0\r\nNOTE:" + strings.ReplaceAll(strings.ReplaceAll(s, "\n", `\n`), "o", "o\r\n ") + "\r\nEND:VCARD\r\n"
	})},
	{"part", "message attached", attachedAs("Content-Type: message/rfc822\n", false, func(s string) string { return "From: a@b.example\nSubject: x\n\n" + s })},
	{"part", "message attached in base64", attachedAs("Content-Type: message/rfc822\n"+b64, false, func(s string) string { return encoded("From: a@b.example\nSubject: x\n\n" + s) })},
	{"part", "message as octets, named .eml", attachedAs("Content-Type: application/octet-stream; name=a.eml\n"+b64, false, func(s string) string {
		return encoded("From: a@b.example\nSubject: x\nContent-Type: text/html\n\n" + strings.ReplaceAll(s, "e", "<b></b>e"))
	})},
	{"part", "no closing boundary", as("Content-Type: multipart/mixed; boundary=x\n\n--x\n"+textPlain, false, same)},
	{"part", "another boundary", as("Content-Type: multipart/mixed; boundary=y\n\n--x\n"+textPlain+qp, false, each("=%02X"))},
	{"part", "after a harmless alternative", func(t text) string {
		return "Content-Type: multipart/alternative; boundary=x\n\n--x\n" + textPlain + "\nsee below\n--x\n" + as(textHTML, true, same)(t) + "--x--\n"
	}},
	{"part", "two types", as("Content-Type: text/html\nContent-Type: image/png\n", true, same)},
	{"part", "enriched text", as("Content-Type: text/enriched\n", false, func(s string) string { return strings.ReplaceAll(s, "e", "<bold></bold>e") })},
	{"unreadable", "RTF", attachedAs("Content-Type: text/rtf; name=a.rtf\n", false, func(s string) string { return `{\rtf1\ansi ` + each(`\'%02x`)(s) + "}" })},
	{"unreadable", "PDF", attachedAs("Content-Type: application/pdf; name=a.pdf\n"+b64, false, func(string) string { return encoded("%PDF-1.4\n\x00\x01\x02") })},
	{"unreadable", "picture", attachedAs("Content-Type: image/png; name=a.png\n"+b64, false, func(string) string { return encoded("\x89PNG\r\n\x1a\n\x00") })},
	{"part", "UTF-7", as("Content-Type: text/plain; charset=utf-7\n", false, func(s string) string {
		out := ""
		for w := range strings.FieldsSeq(s) {
			out += "+" + strings.TrimRight(wide(2, true, "")(w), "=") + "- "
		}
		return out
	})},
	{"part", "EBCDIC", as("Content-Type: text/plain; charset=ibm037\n"+b64, false, func(s string) string {
		return encoded(harness.Must(encoding.ReplaceUnsupported(charmap.CodePage037.NewEncoder()).String(s)))
	})},
}
