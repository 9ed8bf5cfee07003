package page

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/gate"
	"github.com/polya-classifier/polya/serve/internal/web"
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
	p := &page{Server: web.New(gate.Options{})}
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

// A form that is damaged is refused. Its address, which people write too, and its size do not matter.
func TestForm(t *testing.T) {
	t.Parallel()
	const plain, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	p := &page{Server: web.New(gate.Options{})}
	for _, c := range []struct {
		address, kind, body, want string // the field of that name, "" if the form is refused
	}{
		{"/?text=50%", plain, "id=1", "1"},
		{"/", plain, "id=1&x=%zz", ""},
		{"/", plain, "id=1&message=" + strings.Repeat("x", 11<<20), "1"},
		{"/?text=50%", parts, "--b\r\nContent-Disposition: form-data; name=id\r\n\r\n1\r\n--b--\r\n", "1"},
		{"/?id=2", parts, "--b\r\nContent-Disposition: form-data; name=id\r\n\r\n1\r\n--b--\r\n", "1"},
		{"/", parts, "--b\r\nContent-Disposition: form-data; name=id\r\n\r\n1\r\n", ""},
	} {
		r := httptest.NewRequest("POST", c.address, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		form, err := p.form(r)
		if (err == nil) != (c.want != "") || err == nil && form.Get("id") != c.want {
			t.Errorf("%s %s %.80q: %v, %v", c.address, c.kind, c.body, form, err)
		}
	}
}

// What arrives has no name, which a killed process would leave, and can be opened all the same, as a backup is.
func TestReceivedWithoutName(t *testing.T) {
	t.Parallel()
	body := "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\nall of it\r\n--b--\r\n"
	r := httptest.NewRequest("POST", "/import", strings.NewReader(body))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	form, err := (&page{Admin: New(nil)}).receive(httptest.NewRecorder(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer form.discard()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(form.sent.File.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it has a name: %v", err)
	}
	if text, err := os.ReadFile(form.sent.Path); string(text) != "all of it" {
		t.Errorf("%q, %v", text, err)
	}
}

// Files are kept in one temporary file, each where it is said to be, and nothing else is in it.
func FuzzReceive(f *testing.F) {
	f.Add("--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\nFrom: a\r\n--b\r\nContent-Disposition: form-data; name=class\r\n\r\nham\r\n--b\r\nContent-Disposition: form-data; name=file; filename=\"../y\"\r\n\r\nFrom: b\r\n--b--\r\n")
	f.Add("--b\r\nContent-Disposition: form-data; name=file; filename=\"\"\r\n\r\n\r\n--b--\r\n")
	p := &page{Admin: New(nil)}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/import", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		form, err := p.receive(httptest.NewRecorder(), r)
		defer form.discard()
		if err != nil {
			return
		}
		all := int64(0)
		for _, u := range form.sent.List {
			if n, err := io.Copy(io.Discard, u); err != nil || n != u.Size() || strings.ContainsAny(u.Name, "/") {
				t.Errorf("%q of %d bytes: %d, %v", u.Name, u.Size(), n, err)
			}
			all += u.Size()
		}
		if size, err := form.sent.File.Seek(0, io.SeekEnd); err != nil || size != all || size > int64(len(body)) {
			t.Errorf("%d bytes in the file, %d in its parts, %v", size, all, err)
		}
	})
}
