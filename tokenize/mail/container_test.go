package mail

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// What a mail program or the program behind an attachment shows is read, whatever it is
// said to be; what only looks like text is not.
func TestContainers(t *testing.T) {
	t.Parallel()
	b64 := func(s string) string {
		return "Content-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(s))
	}
	const page = "<html><body>shown te<b></b>xt</body></html>"
	for _, tt := range []struct {
		part string
		want bool // whether "shown" and "text" are terms
	}{
		{"Content-Type: application/octet-stream\n" + b64(page), true},
		{"Content-Type: application/octet-stream\n" + b64("shown text"), true},
		{"Content-Type: application/octet-stream\n" + b64("shown text \x00\x01\x02"), false},
		{"Content-Type: application/octet-stream\n" + b64("\xff\xfe"+strings.Join(strings.Split(page, ""), "\x00")+"\x00"), true},
		{"Content-Type: application/x-download; name=a.htm\n" + b64(page), true},
		{"Content-Type: application/pdf; name=a.pdf\n" + b64("shown text"), false},
		{"Content-Type: image/png; name=a.html\n" + b64(page), false},
		{"Content-Type: application/zip; name=a.txt\n" + b64("shown text"), true},
		{"Content-Type: text/plain; name=a.HTML\n\n" + page, true},
		{"Content-Type: image/svg+xml\n\n<svg><text>shown te<tspan></tspan>xt</text></svg>", true},
		{"Content-Type: application/xml\n\n<a>shown te<b/>xt</a>", true},
		{"Content-Type: text/x-amp-html\n\n" + page, true},
		{"Content-Type: text/enriched\n\nshown te<bold>xt</bold>", true},
		{"Content-Type: text/rtf\n\n{\\rtf1 shown text}", false},
		{"Content-Type: application/octet-stream; name=a.eml\n" + b64("Subject: x\nContent-Type: text/html\n\n"+page), true},
		{"Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nSUMMARY:sho\n wn te\n\txt\\nx\nEND:VCALENDAR\n", true},
		{"Content-Type: text/vcard\n\nBEGIN:VCARD\r\nNOTE:sho\r\n wn\\,text\\nx\r\n", true},
		{"Content-Type: text/plain; charset=utf-32\n" + b64("\xff\xfe\x00\x00s\x00\x00\x00h\x00\x00\x00o\x00\x00\x00w\x00\x00\x00n\x00\x00\x00 \x00\x00\x00t\x00\x00\x00e\x00\x00\x00x\x00\x00\x00t\x00\x00\x00"), true},
		{"Content-Type: text/plain; charset=utf-32be\n" + b64("\x00\x00\x00s\x00\x00\x00h\x00\x00\x00o\x00\x00\x00w\x00\x00\x00n\x00\x00\x00 \x00\x00\x00t\x00\x00\x00e\x00\x00\x00x\x00\x00\x00t"), true},
	} {
		raw := "From: a@b.example\nContent-Type: multipart/mixed; boundary=q\n\n--q\n" + tt.part + "\n--q--\n"
		a, err := tokenize.New("")
		if err != nil {
			t.Fatal(err)
		}
		var bag tokenize.Bag
		Read(a, &bag, []byte(raw))
		found := map[string]bool{}
		for i := range bag.Len() {
			term, _ := bag.At(i)
			found[string(term)] = true
		}
		if found["shown"] != tt.want || found["text"] != tt.want {
			t.Errorf("%q: shown %v, text %v", tt.part, found["shown"], found["text"])
		}
	}
}

// The names of files in an attached archive are those of attached files, of a large one too.
func TestNamesInArchive(t *testing.T) {
	for _, size := range []int{10, 100_000} {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, name := range []string{"invoice_2026/scan.pdf.exe", "r\xe9sum.js"} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(w, strings.Repeat("viagra", size))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		got := terms(t, "Content-Type: application/zip; name=a.zip\nContent-Transfer-Encoding: base64\n\n"+encode("base64", out.String()))
		if got["ext:exe"] != 1 || got["file:invoice"] != 1 || got["file:scan.pdf"] != 1 || got["ext:js"] != 1 || got["viagra"] != 0 {
			t.Error(got)
		}
	}
}
