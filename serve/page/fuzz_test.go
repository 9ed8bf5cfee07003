package page

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Wherever one wanted to go, signing in leads to this server, also as browsers read addresses:
// without tabs and line ends, and with \ for /.
func FuzzHere(f *testing.F) {
	for _, to := range []string{"/", "/ledger?class=spam", "//evil.example", "/\\evil.example", "/\t/evil.example", "https:/evil.example", "/%2f/evil.example", "/a\n/b", ""} {
		f.Add(to)
	}
	base, _ := url.Parse("http://polya.example/sign-in")
	f.Fuzz(func(t *testing.T, to string) {
		w := httptest.NewRecorder()
		http.Redirect(w, httptest.NewRequest("POST", "/sign-in", nil), here(to), http.StatusSeeOther)
		read := strings.NewReplacer("\t", "", "\r", "", "\n", "", "\\", "/").Replace(strings.TrimLeft(w.Header().Get("Location"), " \x00\x1f"))
		u, err := base.Parse(read)
		if err != nil || u.Host != base.Host || u.Scheme != "http" {
			t.Errorf("%q leads to %q: %v, %v", to, read, u, err)
		}
	})
}

// A form of any kind is read or refused, and has no more in it than was sent.
func FuzzForm(f *testing.F) {
	f.Add("application/x-www-form-urlencoded", "id=1&id=2&teach=ham")
	f.Add("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\nFrom: a\r\n--b\r\nContent-Disposition: form-data; name=teach\r\n\r\nham\r\n--b--\r\n")
	f.Add("multipart/form-data", "--\r\n\r\n----")
	p := &page{Options: Options{Read: func(r *http.Request) ([]byte, func(), error) {
		b, err := io.ReadAll(r.Body)
		return b, func() {}, err
	}}}
	f.Fuzz(func(t *testing.T, kind, body string) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header["Content-Type"] = []string{kind}
		form, err := p.form(r)
		if err != nil {
			return
		}
		n := len(form.file)
		for name, values := range form.Values {
			for _, v := range values {
				n += len(v)
			}
			n += len(name) // what is written in several ways is never longer than it was
		}
		if n > len(body)+len(kind) {
			t.Errorf("%d bytes of %d: %v", n, len(body), form)
		}
	})
}
