package mail

import (
	"bytes"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"slices"
	"strings"
	"testing"
)

// TestSplitAgreesWithNetMail compares header and body of well-formed messages
// with what the standard library finds.
func TestSplitAgreesWithNetMail(t *testing.T) {
	for _, raw := range []string{plainLetter, alternative, escapes, bounce, identified} {
		want, err := netmail.ReadMessage(strings.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		wantBody, _ := io.ReadAll(want.Body)
		s := scans.Get().(*scan)
		head, body := s.split([]byte(raw), true)
		if !bytes.Equal(body, wantBody) {
			t.Errorf("body %q, want %q", body, wantBody)
		}
		got := map[string][]string{}
		for _, f := range head {
			key := textproto.CanonicalMIMEHeaderKey(string(f.name))
			got[key] = append(got[key], strings.Join(strings.Fields(string(f.value)), " "))
		}
		for key, values := range want.Header {
			if !slices.Equal(got[key], values) {
				t.Errorf("%s: got %q, want %q", key, got[key], values)
			}
		}
		s.free()
	}
}

// TestPartsAgreeWithMultipart lets the standard library write multiparts of
// random parts, and compares what is cut from them.
func TestPartsAgreeWithMultipart(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"plum", "\r\n", "--", "--b", "\n", "--b--", "-", " "}
	for range 200 {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		w.SetBoundary("bound")
		var want []string
		for range 1 + rnd.IntN(4) {
			var part strings.Builder
			for range rnd.IntN(8) {
				part.WriteString(pieces[rnd.IntN(len(pieces))])
			}
			want = append(want, part.String())
			pw, _ := w.CreatePart(nil)
			pw.Write([]byte(part.String()))
		}
		w.Close()
		if got := cutParts(b.Bytes(), "bound"); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// cutParts are the bodies of the parts in body.
func cutParts(body []byte, boundary string) []string {
	s := scans.Get().(*scan)
	defer s.free()
	mark := []byte(boundary)
	var parts []string
	_, pos, last := s.boundaryAt(mark, body, 0)
	for !last && pos >= 0 {
		end, next, final := s.boundaryAt(mark, body, pos)
		_, part := s.split(body[pos:end], false)
		parts = append(parts, string(part))
		pos, last = next, final
	}
	return parts
}

// A part may be empty, without the line that ends its header: what follows is the next part.
func TestEmptyParts(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		body := strings.ReplaceAll("--b|--b||ripe|--b|--b|--b||plum|--b|--b--|", "|", end)
		if got := cutParts([]byte(body), "b"); !slices.Equal(got, []string{"", "ripe", "", "", "plum", ""}) {
			t.Errorf("%q: parts %q", body, got)
		}
		got := terms(t, "Content-Type: multipart/mixed; boundary=b"+end+end+body)
		if got["ripe"] != 1 || got["plum"] != 1 {
			t.Errorf("%q: %v", body, got)
		}
		wantTerms(t, got, "", "ripe plum")
	}
}

func TestWordsAgreeWithMime(t *testing.T) {
	decoder := mime.WordDecoder{}
	s := scans.Get().(*scan)
	defer s.free()
	for _, value := range []string{
		"plain", "=?utf-8?q?caf=C3=A9?=", "a =?UTF-8?B?w6k=?= b", "=?utf-8?q?a_b?= =?utf-8?q?c?=",
		"=?iso-8859-1?q?=E9?= =?utf-8?q?=C3=A9?= x", "=?utf-8?q?=3D=3F?=", "=?utf-8?x?y?=", "=?utf-8?q?a", "a=?=b",
		"=?us-ascii?q?Keith_Moore?= <m@x.example>", "(=?ISO-8859-1?Q?a?= b)", "=?utf-8?Q??=",
	} {
		want, err := decoder.DecodeHeader(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(s.decodeHeader([]byte(value))); got != want {
			t.Errorf("%q: got %q, want %q", value, got, want)
		}
	}
}

func TestParametersAgreeWithMime(t *testing.T) {
	s := scans.Get().(*scan)
	defer s.free()
	for _, value := range []string{
		`multipart/mixed; boundary="a b;c"; charset=UTF-8`,
		`text/plain;charset="utf-8";name="a\"b.txt"`,
		`application/x-stuff; title*0*=us-ascii'en'This%20is%20even%20more%20; title*1*=%2A%2A%2Afun%2A%2A%2A%20; title*2="isn't it!"`,
		`a/b; title*0*=utf-8'en'The%20plum; title*1*=%20isn't%20Ann's; title*2*="%20but Bob's"; title*3=" 'and' mine"`,
		"a/b; boundary=x;\r\n name=y ; title*=utf-8'de'%c3%a9",
	} {
		media, params, err := mime.ParseMediaType(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ToLower(string(mediaType([]byte(value)))); got != media {
			t.Errorf("%q: media type %q, want %q", value, got, media)
		}
		for _, key := range []string{"boundary", "charset", "name", "title"} {
			if got := string(s.parameter([]byte(value), key)); got != params[key] {
				t.Errorf("%q: %s is %q, want %q", value, key, got, params[key])
			}
		}
	}
}

func TestDecodersAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		want := make([]byte, n)
		for i := range want {
			want[i] = byte(rnd.IntN(256))
		}
		got := appendBase64(nil, []byte(breakLines(base64.StdEncoding.EncodeToString(want))))
		if !bytes.Equal(got, want) {
			t.Fatalf("base64: got %q, want %q", got, want)
		}
		var b bytes.Buffer
		w := quotedprintable.NewWriter(&b)
		w.Binary = true
		w.Write(want)
		w.Close()
		got = appendQuotedPrintable(nil, b.Bytes(), false)
		if !bytes.Equal(got, want) {
			t.Fatalf("quoted-printable: got %q, want %q", got, want)
		}
	}
}

func breakLines(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + "\r\n")
		s = s[76:]
	}
	return b.String() + s
}
