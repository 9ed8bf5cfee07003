package mail

import (
	"errors"
	"testing"
)

// TestBroken reads messages as they should not be.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name, raw    string
		words, terms string // plain words, and terms of subject and file
		defect       error
	}{
		{"empty", "", "", "", nil},
		{"header only", "Subject: plum", "", "subject:plum", nil},
		{"body only", "\ncherry", "cherry", "", nil},
		{"plain text", "From here on plums\nand cherry", "from here on plums and cherry", "", nil},
		{"From line", "From a@b.example Mon Sep  2 16:22:06 2002\nSubject: plum\n\ncherry", "cherry", "subject:plum", nil},
		{"quoted From line", ">From a@b.example Mon Sep  2 16:22:06 2002\r\nSubject: plum\r\n\r\ncherry", "cherry", "subject:plum", nil},
		{"From line amid the header", "X-A: b\n>From a@b.example Mon Sep  2\nSubject: plum\n\ncherry", "cherry", "subject:plum", ErrSyntax},
		{"byte order mark and blank lines", "\xef\xbb\xbf\r\n\nSubject: plum\n\ncherry", "cherry", "subject:plum", nil},
		{"line without a colon", "X-A: b\nX-Own No - 1\n folded\nSubject: plum\n\ncherry", "cherry", "subject:plum", ErrSyntax},
		{"line without a colon at the end", "Subject: plum\nX-Own No - 1\n\ncherry", "cherry", "subject:plum", ErrSyntax},
		{"space before the colon", "Subject : plum\n\ncherry", "cherry", "subject:plum", nil},
		{"no separator", "Subject: plum\ncherry tree\n\nalmond", "cherry tree almond", "subject:plum", ErrSyntax},
		{"URL for a separator", "Subject: plum\nhttp://pear.example/\n\nalmond", "almond", "subject:plum", ErrSyntax},
		{"spaces for a separator", "Subject: plum\n \t\ncherry", "cherry", "subject:plum", nil},
		{"spaces in a fold", "Subject: plum\n \t\n pear\nX-A: b\n\ncherry", "cherry", "subject:plum subject:pear", nil},
		{"bare CR", "Subject: plum\rX-A: b\r\rcherry\rpear\r", "cherry pear", "subject:plum", nil},
		{"doubled CR", "Subject: plum\r\r\nX-A: b\r\r\n\r\r\ncherry\r\r\n", "cherry", "subject:plum", nil},
		{"NUL", "Subject: pl\x00um\n\nche\x00rry", "cherry", "subject:plum", nil},
		{"bad bytes in base64", "Subject: plum\nContent-Transfer-Encoding: BASE64\n\nY2!hlcn\nJ5\n", "cherry", "subject:plum", ErrEncoding},
		{"no padding", "Content-Transfer-Encoding: base64\n\nY2hlcnJ5IHBsdW0", "cherry plum", "", ErrEncoding},
		{"two texts in base64", "Content-Transfer-Encoding: base64\n\nY2hlcnJ5IA==\ncGx1bQ==\n", "cherry plum", "", nil},
		{"base64 in the alphabet of URLs", "Content-Transfer-Encoding: base64\n\nY2hlcnJ5Pz8_fn5-cGx1bQ==\n", "cherry plum", "", nil},
		{"bad quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\ncherry =zz p=6cum=", "cherry zz plum", "", ErrEncoding},
		{"no closing boundary", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ncherry\n--b\n\nplum", "cherry plum", "", ErrBoundary},
		{"inner boundary not closed", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\ncherry\n--b\n\nplum\n--b--\n", "cherry plum", "", ErrBoundary},
		{"no boundary parameter", "Content-Type: multipart/mixed\n\n--b\nContent-Type: text/plain\n\ncherry\n--b--\n", "cherry", "", ErrBoundary},
		{"wrong boundary", "Content-Type: multipart/mixed; boundary=x\n\npreamble\n--b\nContent-Type: image/png\n\ncherry\n--b\n\nplum\n--b--\n", "plum", "", ErrBoundary},
		{"no parts", "Content-Type: multipart/mixed; boundary=x\n\ncherry", "cherry", "", ErrBoundary},
		{"no type but a page", "Subject: plum\n\n <HTML><b>cherry</b></HTML>", "cherry", "subject:plum", nil},
		{"bad type but a page", "Content-Type: html\n\n<!DOCTYPE html><p>cherry", "cherry", "", nil},
		{"encoded multipart", "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\n--b\n\ncherry\n--b--\n", "cherry", "", nil},
		{"encoded message", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogcGx1bQoKY2hlcnJ5\n", "cherry", "subject:plum", nil},
		{"encoding in quotes", "Content-Transfer-Encoding: \"base64\"\n\nY2hlcnJ5IHBsdW0=", "cherry plum", "", nil},
		{"encoding behind a comment", "Content-Transfer-Encoding: (a (b) c)\n base64\n\nY2hlcnJ5IHBsdW0=", "cherry plum", "", nil},
		{"comment without end", "Content-Transfer-Encoding: (base64\n\ncherry", "cherry", "", nil},
		{"uuencoded part", "Content-Transfer-Encoding: X-UUENCODE\n\nbegin 644 a.txt\n+8VAE<G)Y('!L=6T\n`\nend\n", "cherry plum", "", nil},
		{"uuencoded badly", "Content-Transfer-Encoding: uuencode\n\nno such line\n+8VAE<G)Y('!L=6T\n", "cherry plum", "", ErrEncoding},
		{"delsp", "Content-Type: text/plain; format=flowed; DelSp=Yes\n\nche \nrry  \nplum\n> pe \n> ar\n-- \nfig", "cherry plum pear fig", "", nil},
		{"flowed", "Content-Type: text/plain; format=flowed\n\ncherry \nplum", "cherry plum", "", nil},
		{"Windows-1252 for UTF-8", "Content-Type: text/plain; charset=utf-8\n\ncaf\xe9 gar\xc3\xa7on \x93plum\x94", "café garçon plum", "", nil},
		{"Windows-1252 for UTF-8 in a word", "Subject: =?utf-8?q?caf=E9?= plum\n\n", "", "subject:café subject:plum", nil},
		{"quotes", "Content-Type: text/plain; name=\"a \\\"plum; .t\\xt\n\ncherry", "cherry", "file:plum", nil},
		{"name without quotes", "Content-Type: text/plain ; NAME = red plum.txt ; x\n\ncherry", "cherry", "file:red file:plum", nil},
		{"encoded file name", "Content-Disposition: inline; filename=\"=?utf-8?q?pl=75m=2Eexe?=\"\n\ncherry", "cherry", "file:plum", nil},
		{"encoded word not closed", "Subject: =?utf-8?q?plum\n\ncherry", "cherry", "subject:utf subject:plum", nil},
	} {
		got, err := terms(t, c.raw)
		if err != c.defect && !errors.Is(err, c.defect) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.defect)
		}
		t.Run(c.name, func(t *testing.T) {
			wantTerms(t, got, "", c.words)
			wantTerms(t, got, "subject,file", c.terms)
		})
	}
}

func TestDefectIsASet(t *testing.T) {
	err := error(ErrDepth | ErrText)
	if !errors.Is(err, ErrDepth) || !errors.Is(err, ErrText) || errors.Is(err, ErrParts) || errors.Is(err, Defect(0)) {
		t.Errorf("%v is not the set of its defects", err)
	}
	if got, want := err.Error(), "mail: parts nest too deep, text too long"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
