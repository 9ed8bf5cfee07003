package mail

import (
	"bytes"
	"testing"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/htmlindex"
)

// The encoding of a page is that of x/net/html/charset, but for UTF-8 and what that
// takes for its own default.
func FuzzOfPage(f *testing.F) {
	for _, page := range []string{
		"", "<meta charset=koi8-r>", `<META CHARSET="ISO-8859-2" charset=utf-8>`, "<meta charset=utf-8><meta charset=koi8-r>",
		`<meta http-equiv=Content-Type content="text/html; charset=big5">`, `<meta content="text/html; charset='gbk' x">`,
		`<meta http-equiv=content-type content="charset charset = shift_jis;">`, "<meta charset=utf-16le>", "<meta charset=x><meta charset=euc-kr>",
		`<meta content="text/html; charset=big5" charset=nonsense http-equiv=content-type>`, "<title><meta charset=koi8-r></title>",
		`<meta http-equiv=refresh content="charset=big5"><meta charset=iso-2022-cn>`, "<meta charset=&#107;oi8-r>", "<meta charset=windows-1251/>",
		`<meta content=charset="koi8-r content='charset=big5' http-equiv=content-type>`,
	} {
		f.Add([]byte(page))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		if byteOrderMark(page) != "" {
			return
		}
		theirs, want, _ := charset.DetermineEncoding(page, "")
		if theirs == nil || want == "utf-8" {
			want = "windows-1252"
		}
		got := "windows-1252"
		if enc := ofPage(page); enc != nil {
			got, _ = htmlindex.Name(enc)
		}
		if got == "windows-1252" && bytes.Count(bytes.ToLower(page), []byte("charset")) > 1 {
			return // an element whose attribute charset is none says nothing, but x/net reads its content too
		}
		if got != want {
			t.Errorf("%q: %s, want %s", page, got, want)
		}
	})
}
