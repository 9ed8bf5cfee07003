package mail

import "testing"

// TestBroken reads messages as they should not be.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		name, raw    string
		words, terms string // plain words, and terms of subject and file
	}{
		{"empty", "", "", ""},
		{"header only", "Subject: plum", "", "subject:plum"},
		{"body only", "\ncherry", "cherry", ""},
		{"plain text", "From here on plums\nand cherry", "from here on plums and cherry", ""},
		{"From line", "From a@b.example Mon Sep  2 16:22:06 2002\nSubject: plum\n\ncherry", "cherry", "subject:plum"},
		{"quoted From line", ">From a@b.example Mon Sep  2 16:22:06 2002\r\nSubject: plum\r\n\r\ncherry", "cherry", "subject:plum"},
		{"From line amid the header", "X-A: b\n>From a@b.example Mon Sep  2\nSubject: plum\n\ncherry", "cherry", "subject:plum"},
		{"byte order mark and blank lines", "\xef\xbb\xbf\r\n\nSubject: plum\n\ncherry", "cherry", "subject:plum"},
		{"line without a colon", "X-A: b\nX-Own No - 1\n folded\nSubject: plum\n\ncherry", "cherry", "subject:plum"},
		{"line without a colon at the end", "Subject: plum\nX-Own No - 1\n\ncherry", "cherry", "subject:plum"},
		{"space before the colon", "Subject : plum\n\ncherry", "cherry", "subject:plum"},
		{"no separator", "Subject: plum\ncherry tree\n\nalmond", "cherry tree almond", "subject:plum"},
		{"URL for a separator", "Subject: plum\nhttp://pear.example/\n\nalmond", "almond", "subject:plum"},
		{"spaces for a separator", "Subject: plum\n \t\ncherry", "cherry", "subject:plum"},
		{"spaces in a fold", "Subject: plum\n \t\n pear\nX-A: b\n\ncherry", "cherry", "subject:plum subject:pear"},
		{"bare CR", "Subject: plum\rX-A: b\r\rcherry\rpear\r", "cherry pear", "subject:plum"},
		{"doubled CR", "Subject: plum\r\r\nX-A: b\r\r\n\r\r\ncherry\r\r\n", "cherry", "subject:plum"},
		{"NUL", "Subject: pl\x00um\n\nche\x00rry", "cherry", "subject:plum"},
		{"bad bytes in base64", "Subject: plum\nContent-Transfer-Encoding: BASE64\n\nY2!hlcn\nJ5\n", "cherry", "subject:plum"},
		{"no padding", "Content-Transfer-Encoding: base64\n\nY2hlcnJ5IHBsdW0", "cherry plum", ""},
		{"two texts in base64", "Content-Transfer-Encoding: base64\n\nY2hlcnJ5IA==\ncGx1bQ==\n", "cherry plum", ""},
		{"base64 in the alphabet of URLs", "Content-Transfer-Encoding: base64\n\nY2hlcnJ5Pz8_fn5-cGx1bQ==\n", "cherry plum", ""},
		{"bad quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\ncherry =zz p=6cum=", "cherry zz plum", ""},
		{"no closing boundary", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ncherry\n--b\n\nplum", "cherry plum", ""},
		{"inner boundary not closed", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=bb\n\n--bb\n\ncherry\n--b\n\nplum\n--b--\n", "cherry plum", ""},
		{"no boundary parameter", "Content-Type: multipart/mixed\n\n--b\nContent-Type: text/plain\n\ncherry\n--b--\n", "cherry", ""},
		{"wrong boundary", "Content-Type: multipart/mixed; boundary=x\n\npreamble\n--b\nContent-Type: image/png\n\ncherry\n--b\n\nplum\n--b--\n", "plum", ""},
		{"no parts", "Content-Type: multipart/mixed; boundary=x\n\ncherry", "cherry", ""},
		{"no type but a page", "Subject: plum\n\n <HTML><b>cherry</b></HTML>", "cherry", "subject:plum"},
		{"bad type but a page", "Content-Type: html\n\n<!DOCTYPE html><p>cherry", "cherry", ""},
		{"encoded multipart", "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\n--b\n\ncherry\n--b--\n", "cherry", ""},
		{"encoded message", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogcGx1bQoKY2hlcnJ5\n", "cherry", "subject:plum"},
		{"encoding in quotes", "Content-Transfer-Encoding: \"base64\"\n\nY2hlcnJ5IHBsdW0=", "cherry plum", ""},
		{"encoding behind a comment", "Content-Transfer-Encoding: (a (b) c)\n base64\n\nY2hlcnJ5IHBsdW0=", "cherry plum", ""},
		{"comment without end", "Content-Transfer-Encoding: (base64\n\ncherry", "cherry", ""},
		{"uuencoded part", "Content-Transfer-Encoding: X-UUENCODE\n\nbegin 644 a.txt\n+8VAE<G)Y('!L=6T\n`\nend\n", "cherry plum", ""},
		{"uuencoded badly", "Content-Transfer-Encoding: uuencode\n\nno such line\n+8VAE<G)Y('!L=6T\n", "cherry plum", ""},
		{"delsp", "Content-Type: text/plain; format=flowed; DelSp=Yes\n\nche \nrry  \nplum\n> pe \n> ar\n-- \nfig", "cherry plum pear fig", ""},
		{"flowed", "Content-Type: text/plain; format=flowed\n\ncherry \nplum", "cherry plum", ""},
		{"Windows-1252 for UTF-8", "Content-Type: text/plain; charset=utf-8\n\ncaf\xe9 gar\xc3\xa7on \x93plum\x94", "café garçon plum", ""},
		{"Windows-1252 for UTF-8 in a word", "Subject: =?utf-8?q?caf=E9?= plum\n\n", "", "subject:café subject:plum"},
		{"quotes", "Content-Type: text/plain; name=\"a \\\"plum; .t\\xt\n\ncherry", "cherry", "file:plum"},
		{"name without quotes", "Content-Type: text/plain ; NAME = red plum.txt ; x\n\ncherry", "cherry", "file:red file:plum"},
		{"encoded file name", "Content-Disposition: inline; filename=\"=?utf-8?q?pl=75m=2Eexe?=\"\n\ncherry", "cherry", "file:plum"},
		{"encoded word not closed", "Subject: =?utf-8?q?plum\n\ncherry", "cherry", "subject:utf subject:plum"},
	} {
		got := terms(t, c.raw)
		t.Run(c.name, func(t *testing.T) {
			wantTerms(t, got, "", c.words)
			wantTerms(t, got, "subject,file", c.terms)
		})
	}
}
