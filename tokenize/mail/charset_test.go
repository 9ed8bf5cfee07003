package mail

import (
	"encoding/base64"
	"fmt"
	"maps"
	"mime/quotedprintable"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

var languages = []struct {
	name, label, text string
	encoding          encoding.Encoding
}{
	{"French", "iso-8859-1", "Déjà vu, l'été à la forêt: garçon", charmap.ISO8859_1},
	{"French in DOS", "cp850", "Déjà vu, l'été à la forêt: garçon", charmap.CodePage850},
	{"German quotes", "us-ascii", "Größe „schön“ über – Straße", charmap.Windows1252},
	{"German without a label", "", "Größe „schön“ über – Straße", charmap.Windows1252},
	{"German unknown", "x-own-charset", "Größe über Straße", charmap.Windows1252},
	{"Polish", "iso-8859-2", "Zażółć gęślą jaźń", charmap.ISO8859_2},
	{"Russian", "koi8-r", "Съешь ещё этих мягких булок", charmap.KOI8R},
	{"Russian Windows", "cp1251", "Съешь ещё этих мягких булок", charmap.Windows1251},
	{"Ukrainian", "koi8-u", "Жебракують філософи при ґанку", charmap.KOI8U},
	{"Greek", "iso-8859-7", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία", charmap.ISO8859_7},
	{"Turkish", "windows-1254", "Pijamalı hasta yağız şoföre", charmap.Windows1254},
	{"Hebrew", "iso-8859-8-i", "דג סקרן שט בים מאוכזב", charmap.ISO8859_8},
	{"Arabic", "windows-1256", "نص حكيم له سر قاطع", charmap.Windows1256},
	{"Thai", "tis-620", "เป็นมนุษย์สุดประเสริฐ", charmap.Windows874},
	{"Vietnamese", "utf-8", "Tiếng Việt có dấu", encoding.Nop},
	{"Hindi", "utf-8", "ऋषियों को सताने वाले", encoding.Nop},
	{"UTF-8 called Latin", "iso-8859-1", "Größe über Straße", encoding.Nop},
	{"Japanese mail", "iso-2022-jp", "いろはにほへと ちりぬるを 日本語", japanese.ISO2022JP},
	{"Japanese Windows", "cp932", "いろはにほへと ちりぬるを 日本語", japanese.ShiftJIS},
	{"Japanese Unix", "euc-jp", "いろはにほへと ちりぬるを 日本語", japanese.EUCJP},
	{"Chinese", "gb2312", "视野无限广，窗外有蓝天", simplifiedchinese.GBK},
	{"Chinese odd label", "gb2312_charset", "视野无限广，窗外有蓝天", simplifiedchinese.GBK},
	{"EBCDIC", "ibm037", "Pack my box with five dozen liquor jugs", charmap.CodePage037},
	{"Chinese HZ", "hz-gb-2312", "视野无限广，窗外有蓝天", simplifiedchinese.HZGB2312},
	{"Chinese 18030", "gb18030", "视野无限广，窗外有蓝天", simplifiedchinese.GB18030},
	{"Chinese Taiwan", "chinesebig5", "視野無限廣，窗外有藍天", traditionalchinese.Big5},
	{"Korean", "ks_c_5601-1987", "키스의 고유조건은 입술끼리", korean.EUCKR},
	{"UTF-16", "utf-16le", "Größe über Straße", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	{"UTF-16 with a mark", "", "Größe über Straße", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

// TestCharsets sends a text through every charset in every transfer encoding:
// body and subject give the words that the text gives in UTF-8.
func TestCharsets(t *testing.T) {
	for _, l := range languages {
		encoded, err := l.encoding.NewEncoder().String(l.text)
		if err != nil {
			t.Fatal(err)
		}
		wantBody, wantSubject := text(t, l.text), subjectOf(t, "Subject: "+l.text+"\n\n")
		if len(wantBody) == 0 {
			t.Errorf("%s: no terms", l.name)
		}
		for _, transfer := range []string{"8bit", "base64", "quoted-printable"} {
			raw := fmt.Sprintf("Content-Type: text/plain; charset=\"%s\"\nContent-Transfer-Encoding: %s\n\n%s", l.label, transfer, encode(transfer, encoded))
			if l.label == "" {
				raw = strings.Replace(raw, "; charset=\"\"", "", 1)
			}
			got := terms(t, raw)
			maps.DeleteFunc(got, func(term string, _ int) bool { return strings.Contains(term, ":") })
			if !maps.Equal(got, wantBody) {
				t.Errorf("%s in %s: got %v, want %v", l.name, transfer, got, wantBody)
			}
		}
		if l.label == "" {
			continue
		}
		for _, word := range []string{
			"=?" + l.label + "?B?" + base64.StdEncoding.EncodeToString([]byte(encoded)) + "?=",
			"=?" + l.label + "*xx?q?" + hexWord(encoded) + "?=",
		} {
			if got := subjectOf(t, "Subject: "+word+"\n\n"); !maps.Equal(got, wantSubject) {
				t.Errorf("%s as %s: got %v, want %v", l.name, word, got, wantSubject)
			}
		}
	}
}

// Neither the charset of a text nor a mark in front hides what programs show.
func TestHidingCharset(t *testing.T) {
	for raw, want := range map[string]string{
		"Content-Type: text/plain; charset=utf-16\n\n\x00c\x00h\x00e\x00a\x00p\x00\n\x04\x3d\x04\x3e\x04\x32\x04\x4b\x04\x35": "новые",
		"Subject: cheap watches\nContent-Type: text/plain; charset=utf-16\n\nx":                                               "subject:watches",
		"Subject: cheap +watches-\nContent-Type: text/plain; charset=utf-7\n\nx":                                              "subject:watches",
		"Subject: cheap =?utf-8?q?red?= watches\nContent-Type: text/plain; charset=utf-32be\n\nx":                             "subject:watches",
		"Subject: \xff\xfecheap watches\n\nx":                                                                                 "subject:watches",
		"Content-Type: text/plain; charset=utf-8\n\n\xff\xfecheap watches now":                                                "watches",
		"Content-Type: text/html\n\n\xfe\xff\xfe\xffcheap <b>watches</b> now\x00":                                             "watches",
		"Content-Type: text/plain; charset=us-ascii\n\n\xfe\xff\x04\x3d\x04\x3e\x04\x32\x04\x4b\x04\x35":                      "новые",
		"Content-Type: text/plain; charset=utf-16\n\n\x4e\x00\x50\x0b\x00\n\x4e\xba":                                          "一個",
		"Content-Type: text/plain; charset=utf-16\n\n\x11\x62\x00\x4e\x0b\x50\n\x00\xba\x4e":                                  "一個",
	} {
		if got := terms(t, raw); got[want] != 1 {
			t.Errorf("%q: %v", raw, got)
		}
	}
}

// The text of UTF-7 is that of RFC 2152, with the examples of its section 2.
func TestUTF7(t *testing.T) {
	for raw, want := range map[string]string{
		"A+ImIDkQ.": "A≢Α.", "Hi Mom -+Jjo--!": "Hi Mom -☺-!", "+ZeVnLIqe-": "日本語", "1 +- 1 = 2": "1 + 1 = 2", "+2D3eAA-x": "😀x", "a+": "a", "+A": "", "+2D0-x": "x",
	} {
		if got := string(appendUTF7(nil, []byte(raw))); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
	if got := terms(t, "Content-Type: text/plain; charset=UTF-7\n\n+AHYAaQBhAGcAcgBh- now"); got["viagra"] != 1 || got["now"] != 1 {
		t.Error(got)
	}
}

// A message of whose text no word can be read says so, and no other does.
func TestUnread(t *testing.T) {
	const pdf = "Content-Type: application/pdf; name=offer.pdf\n\n%PDF-1.4\n"
	for raw, want := range map[string]bool{
		"Subject: offer\n\n": true, "Subject: offer\n\n--\n": true, "Subject: offer\nContent-Type: text/html\n\n<img src=http://a.example/x.png>": true,
		"Subject: offer\n" + pdf: true, "Subject: offer\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\n--x\n" + pdf + "--x--\n": true,
		"Subject: offer\n\noffer": false, "Subject: offer\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhello\n--x\n" + pdf + "--x--\n": false, "": false,
	} {
		if got := terms(t, raw); got["missing:text"] == 1 != want {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	}
}

func subjectOf(t *testing.T, raw string) map[string]int {
	t.Helper()
	got := terms(t, raw)
	maps.DeleteFunc(got, func(term string, _ int) bool { return !strings.HasPrefix(term, "subject:") })
	return got
}

func encode(transfer, s string) string {
	var b strings.Builder
	switch transfer {
	case "base64":
		w := base64.NewEncoder(base64.StdEncoding, &b)
		w.Write([]byte(s))
		w.Close()
	case "quoted-printable":
		w := quotedprintable.NewWriter(&b)
		w.Binary = true
		w.Write([]byte(s))
		w.Close()
	default:
		return s
	}
	return b.String()
}

func hexWord(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "=%02X", c)
	}
	return b.String()
}

// TestRawSubject has bytes beyond ASCII in a field without an encoded word: the
// charset of the body tells what they are.
func TestRawSubject(t *testing.T) {
	want := subjectOf(t, "Subject: булок\n\n")
	raw, _ := charmap.KOI8R.NewEncoder().String("Subject: булок\nContent-Type: text/plain; charset=koi8-r\n\n")
	if got := subjectOf(t, raw); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestHTMLCharset reads the charset that a page names when its header names
// none.
func TestHTMLCharset(t *testing.T) {
	page := `<html><meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><body>булок</body></html>`
	raw, _ := charmap.Windows1251.NewEncoder().String(page)
	for _, head := range []string{"Content-Type: text/html\n\n", "Subject: x\n\n"} {
		if got := terms(t, head+raw); got["булок"] != 1 {
			t.Errorf("after %q: got %v", head, got)
		}
	}
}

func TestSplitCharacter(t *testing.T) {
	got := subjectOf(t, "Subject: =?utf-8?q?caf=C3?=\n =?UTF-8?q?=A9?= =?utf-8?q?_open?=\n\n")
	if !maps.Equal(got, map[string]int{"subject:café": 1, "subject:open": 1}) {
		t.Errorf("got %v", got)
	}
}

// TestLabels looks up every label of the tables, so that none leads nowhere.
func TestLabels(t *testing.T) {
	text, err := os.ReadFile("charset.go")
	if err != nil {
		t.Fatal(err)
	}
	_, function, _ := strings.Cut(string(text), "func listed(")
	function, _, _ = strings.Cut(function, "\n}\n")
	labels := regexp.MustCompile(`[^\s"{},]+`).FindAllString(strings.Join(regexp.MustCompile(`"[^"]+"`).FindAllString(function, -1), " "), -1)
	if len(labels) < 45 {
		t.Fatalf("found %d labels", len(labels))
	}
	for _, label := range labels {
		if lookup(label) == nil {
			t.Errorf("alias %q leads to %q, which is not known", label, listed(label))
		}
	}
	for _, label := range []string{"utf-7", "unicode-1-1-utf-7", "iso-2022-kr", "", "klingon"} {
		if lookup(label) != nil {
			t.Errorf("label %q is known", label)
		}
	}
}

// Tables of single bytes are decoded as their decoder does it, ASCII and all.
func TestSingleBytes(t *testing.T) {
	t.Parallel()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	list := []encoding.Encoding{lookup("hz"), lookup("utf-32"), lookup("utf-32le")}
	for _, enc := range charmap.All {
		if _, err := htmlindex.Name(enc); err == nil {
			list = append(list, enc)
		}
	}
	for _, label := range []string{"ibm037", "cp037", "ibm1047", "ibm1140", "ibm01140", "cp437", "ibm437", "cp850", "ibm850", "cp852", "ibm852", "cp855", "ibm855", "cp858", "cp860", "cp862", "cp863", "cp865"} {
		enc := lookup(label)
		if enc == nil || !strings.HasSuffix(fmt.Sprint(enc), strings.TrimLeft(label, "ibmcp0")) {
			t.Errorf("%s is %v", label, enc)
		}
		list = append(list, enc)
	}
	if len(list) < 30 {
		t.Errorf("%d tables", len(list))
	}
	for _, enc := range list {
		want, err := enc.NewDecoder().Bytes(all)
		if got := appendDecoded([]byte("before"), all, enc); err != nil || string(got) != "before"+string(want) {
			t.Errorf("%v: %q, want %q, %v", enc, got, want, err)
		}
	}
}

// Each word in charset.go, and each part of it, has the encoding that x/text gives it.
func TestStandardLabels(t *testing.T) {
	text, err := os.ReadFile("charset.go")
	if err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`[^\s"]+`).FindAllString(string(text), -1)
	if len(labels) < 500 {
		t.Fatalf("found %d words", len(labels))
	}
	found := map[string]bool{}
	for _, label := range labels {
		for i := range len(label) {
			for j := i; j <= len(label); j++ {
				want, err := htmlindex.Get(label[i:j])
				if got := standard(label[i:j]); err == nil && got != want || err != nil && got != nil {
					t.Errorf("%q: %v, want %v", label[i:j], got, want)
				} else if err == nil {
					found[strings.ToLower(label[i:j])] = true
				}
			}
		}
		if standard(" "+strings.ToUpper(label)+"\n") != standard(label) {
			t.Errorf("case or blanks change %q", label)
		}
	}
	if len(found) != 228 {
		t.Errorf("%d labels found, the standard has 228", len(found))
	}
}
