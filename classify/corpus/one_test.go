package corpus_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/internal/raced"
)

// smuggled is what a sender appends to have a filter see a message of two.
const smuggled = "\nFrom bob@example.com  Mon Jan  5 10:00:00 2026\nFrom: bob@example.com\nSubject: minutes\n\nSee you at the meeting.\n"

type remark struct {
	path string
	what corpus.Oddity
	n    int
}

// remarks collects what a walk remarks.
func remarks(o *corpus.Options) *[]remark {
	var got []remark
	o.Remark = func(path string, what corpus.Oddity, n int) { got = append(got, remark{path, what, n}) }
	return &got
}

// A message with its From line, as procmail gives it, stays one, whatever its sender
// wrote into it.
func TestOneMessage(t *testing.T) {
	t.Parallel()
	want := mail + smuggled
	in := "From a@example.org Thu Aug 22 12:36:23 2002\n" + want
	dir := tree(t, map[string]string{"1.eml": in, "2": in, "sub/3": in, "m/cur/4": in, "m/new/": "", "x.mbox": in, "y.txt": want})
	for _, path := range []string{"1.eml", "2", "sub/3", "sub", "m", "y.txt", "-"} {
		o := corpus.Options{Stdin: strings.NewReader(in)}
		from := filepath.Join(dir, path)
		if path == "-" {
			from = path
		}
		var got []string
		var like corpus.Format
		err := corpus.Walk(context.Background(), from, o, func(d *corpus.Document) error {
			got, like = append(got, string(d.Content)), d.Like
			if d.Format != corpus.Mail {
				t.Errorf("%s is %v", path, d.Format)
			}
			return nil
		})
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
		single := corpus.Single(from, o)
		if folder := path == "sub" || path == "m"; single == folder {
			t.Errorf("%s is single: %v", path, single)
		}
		if want := path != "m" && path != "y.txt"; want != (like == corpus.Mbox) {
			t.Errorf("%s looks like %v", path, like)
		}
	}
	for path, o := range map[string]corpus.Options{"x.mbox": {}, "1.eml": {Format: corpus.Mbox}, "2": {Several: true}} {
		got, err := walk(t, filepath.Join(dir, path), o)
		if err != nil || len(got) != 2 || corpus.Single(filepath.Join(dir, path), o) {
			t.Errorf("%s as an mbox: %v, %v", path, got, err)
		}
	}
}

// An mbox is one by its name, by its place or because it is asked for.
func TestMboxByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"a.mbox": 2, "a.MBX": 2, "mbox": 2, "a.mboxrd": 2, "Inbox": 1, "Sent": 2, "a.eml": 1, "a.mbox.txt": 1,
	} {
		dir := tree(t, map[string]string{name: mbox2, "Sent.msf": "// <!-- <mdb:mork:z v=\"1.4\"/> -->"})
		if got, err := walk(t, filepath.Join(dir, name), corpus.Options{}); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	dir := tree(t, map[string]string{"a.mbox": mail})
	if got, err := walk(t, filepath.Join(dir, "a.mbox"), corpus.Options{}); err != nil || len(got) != 1 {
		t.Errorf("a message called an mbox: %v, %v", got, err)
	}
	dir = tree(t, map[string]string{"Sent": mbox2, "sub/Sent": mbox2, "sub/Sent.msf": "index", "sub/Sent-2": mbox2, "sub/deep/Sent": mbox2, "the/end": mbox2})
	got, err := walk(t, dir, corpus.Options{})
	found := map[string]int{}
	for _, d := range got {
		name, _, _ := strings.Cut(d, " ")
		name, _, _ = strings.Cut(name, ":")
		found[name]++
	}
	if want := map[string]int{"Sent": 1, "sub/Sent": 2, "sub/Sent-2": 1, "sub/deep/Sent": 1, "the/end": 1}; err != nil || !maps.Equal(found, want) {
		t.Errorf("documents by file in a folder: %v, %v", found, err)
	}
}

// Text that begins like JSON lines is text: the rest of it would not be read.
func TestTextLikeJSON(t *testing.T) {
	t.Parallel()
	in := `{"text":"hello"}` + "\nBuy cheap watches\n"
	got, err := standardInput(strings.NewReader(in), corpus.Options{})
	if err != nil || len(got) != 1 || string(got[0].Content) != in || got[0].Format != corpus.Text || got[0].Like != corpus.JSONL {
		t.Errorf("%+v, %v", got, err)
	}
}

// A Maildir is its own messages; the folders in it are asked for.
func TestMaildirAlone(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"cur/1:2,S": mail, "new/2": mail, "tmp/3": mail, ".Junk/cur/4:2,S": mail, ".Junk/new/": "", ".Junk.old/cur/5": mail, ".Junk.old/new/": "",
		".Sent/cur/6": mail, ".Sent/new/": "", "fs/cur/7": mail, "fs/new/": "",
	})
	own := []string{"cur/1:2,S mail", "new/2 mail"}
	var o corpus.Options
	said := remarks(&o)
	got, err := walk(t, dir, o)
	if err != nil || len(*said) != 1 || (*said)[0] != (remark{dir, corpus.LeftFolders, 4}) {
		t.Errorf("remarks %v, %v", *said, err)
	}
	equal(t, got, own)
	if got := corpus.Size(dir, corpus.Options{}); got != int64(2*len(mail)) {
		t.Errorf("Size: %d bytes", got)
	}
	got, err = walk(t, dir, corpus.Options{Subfolders: true, Exclude: []string{"Junk*", ".Sent"}})
	if err != nil {
		t.Error(err)
	}
	equal(t, got, []string{"cur/1:2,S mail", "fs/cur/7 mail", "new/2 mail"})
	if got, err = walk(t, filepath.Join(dir, ".Junk"), corpus.Options{}); err != nil || len(got) != 1 {
		t.Errorf("a folder that is named: %v, %v", got, err)
	}

	got = nil
	err = corpus.Folders(context.Background(), dir, corpus.Options{Exclude: []string{"Junk.old", "INBOX", "fs"}}, collector(dir, &got))
	if err != nil {
		t.Error(err)
	}
	equal(t, got, []string{".Junk/cur/4:2,S mail Junk"}) // Sent is no class
}

// Maildirs beside an Inbox that lies elsewhere.
func TestHiddenMaildirs(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".Junk/cur/1": mail, ".Junk/new/": "", ".R&AOk-/cur/2": mail, ".R&AOk-/new/": "", "work/cur/3": mail, "work/new/": ""})
	got, err := walk(t, dir, corpus.Options{})
	if err != nil {
		t.Error(err)
	}
	equal(t, got, []string{"work/cur/3 mail"})
	got = nil
	if err := corpus.Folders(context.Background(), dir, corpus.Options{}, collector(dir, &got)); err != nil {
		t.Error(err)
	}
	equal(t, got, []string{".Junk/cur/1 mail Junk", ".R&AOk-/cur/2 mail Ré", "work/cur/3 mail work"})
}

// Links are followed within the folder that is walked, and not out of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"secret": "s", "box/a/1": "x", "box/b/2": "y", "box/b/deep/3": "z"})
	for name, target := range map[string]string{
		"box/a/in": "../b/2", "box/a/out": "../../secret", "box/a/whole": filepath.Join(dir, "secret"), "box/b/through": "../a/out",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	box := filepath.Join(dir, "box")
	var o corpus.Options
	said := remarks(&o)
	got, err := walk(t, box, o)
	if err != nil || len(*said) != 1 || (*said)[0] != (remark{box, corpus.LeftLinks, 3}) {
		t.Errorf("remarks %v, %v", *said, err)
	}
	equal(t, got, []string{"a/1 text", "a/in text", "b/2 text", "b/deep/3 text"})
	got = nil
	if err := corpus.Folders(context.Background(), box, corpus.Options{}, collector(box, &got)); err != nil {
		t.Error(err)
	}
	equal(t, got, []string{"a/1 text a", "a/in text a", "b/2 text b", "b/deep/3 text b"})
	if got, err = walk(t, box, corpus.Options{FollowLinks: true}); err != nil || len(got) != 7 {
		t.Errorf("followed: %v, %v", got, err)
	}
	if got, err = walk(t, filepath.Join(box, "a", "out"), corpus.Options{}); err != nil || len(got) != 1 {
		t.Errorf("a link that is named: %v, %v", got, err)
	}
}

// A link that takes the place of a file while the folder is read is not followed either.
func TestLinkSwappedIn(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"secret": "s", "box/1": "x", "box/2": "y"})
	var got []string
	err := corpus.Walk(context.Background(), filepath.Join(dir, "box"), corpus.Options{}, func(d *corpus.Document) error {
		if got = append(got, string(d.Content)); len(got) == 1 {
			two := filepath.Join(dir, "box", "2")
			if err := errors.Join(os.Remove(two), os.Symlink("../secret", two)); err != nil {
				t.Skip(err)
			}
		}
		return nil
	})
	if len(got) != 1 || err == nil {
		t.Errorf("read %q, %v", got, err)
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"1.eml.gz": gzipped(t, mail), "box.mbox.gz": gzipped(t, mbox2), "docs.jsonl.gz": gzipped(t, `{"text":"x"}`+"\n"+`{"text":"y"}`),
		"t.csv.gz": gzipped(t, "text,n\na,1\nb,2\n"), "m/cur/9": gzipped(t, mail), "m/new/": "", "plain.gz": "hello", "page.gz": gzipped(t, "<p>hello"),
		"twice.gz": gzipped(t, gzipped(t, mail)),
	})
	binary := ""
	var got []string
	add := collector(dir, &got)
	err := corpus.Walk(context.Background(), dir, corpus.Options{}, func(d *corpus.Document) error {
		binary += d.Binary
		return add(d)
	})
	if err != nil || binary != "compressed by gzip" {
		t.Errorf("%q, %v", binary, err)
	}
	equal(t, got, []string{
		"1.eml.gz mail", "box.mbox.gz:1 mail", "box.mbox.gz:2 mail", "docs.jsonl.gz:1 text", "docs.jsonl.gz:2 text", "m/cur/9 mail",
		"page.gz html", "plain.gz text", "t.csv.gz:2 text", "t.csv.gz:3 text", "twice.gz text",
	})
	one, err := standardInput(strings.NewReader(gzipped(t, mail)), corpus.Options{})
	if err != nil || len(one) != 1 || string(one[0].Content) != mail {
		t.Errorf("standard input: %+v, %v", one, err)
	}
	whole := gzipped(t, strings.Repeat(mail, 100))
	if _, err := standardInput(strings.NewReader(whole[:len(whole)-12]), corpus.Options{}); err == nil || !strings.HasPrefix(err.Error(), "-: the compressed file is cut short") {
		t.Errorf("cut short: %v", err)
	}
}

// A compressed document that becomes endless is cut, and an mbox of that kind ends.
func TestBombs(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, 9)
	w.Write([]byte(mbox1))
	line := bytes.Repeat([]byte("a"), 1<<20)
	for range 150 {
		w.Write(line)
	}
	w.Close()
	o := corpus.Options{MaxBytes: 1 << 20}
	got, err := standardInput(bytes.NewReader(b.Bytes()), o)
	if err != nil || len(got) != 1 || len(got[0].Content) != 1<<20 || !got[0].Cut {
		t.Errorf("%d documents, %v", len(got), err)
	}
	o.Format = corpus.Mbox
	if _, err = standardInput(bytes.NewReader(b.Bytes()), o); err == nil || !strings.Contains(err.Error(), "200 times as large") {
		t.Errorf("an mbox: %v", err)
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	utf16le := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	noise := make([]byte, 5000)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = max(1, byte(x>>24))
	}
	tests := []struct {
		in, want string
	}{
		{"\x89PNG\r\n\x1a\n", "a PNG image"}, {"%PDF-1.7\ntext", "a PDF file"}, {"PK\x03\x04 and so on", "a ZIP archive or office document"},
		{"hello \x00 world", "not text: it has NUL bytes"}, {string(noise), "not text: it is full of control characters"},
		{"plain", ""}, {"", ""}, {"caf\xe9 \x93quoted\x94", ""}, {"\xf0\xd2\xc9\xd7\xc5\xd4", ""}, {"b\bbo\bol\bld", ""}, {"\x1b$B$3\x1b(B \x1b$B$3\x1b(B", ""},
		{utf16le("Hello, Größe"), ""}, {"one\fpage\x0c\x1a", ""}, {mail + "\x00\x01\x02", ""}, {"<p>\x00", "not text: it has NUL bytes"},
	}
	for _, tt := range tests {
		got, err := standardInput(strings.NewReader(tt.in), corpus.Options{})
		if err != nil || len(got) != 1 || got[0].Binary != tt.want {
			t.Errorf("%.40q: %+v, %v; want %q", tt.in, got, err, tt.want)
		}
		if got, _ := standardInput(strings.NewReader(tt.in), corpus.Options{Format: corpus.Text}); got[0].Binary != "" {
			t.Errorf("%.40q as text: %q", tt.in, got[0].Binary)
		}
	}
	got, _ := standardInput(strings.NewReader(utf16le("Hello, Größe")), corpus.Options{})
	if string(got[0].Content) != "Hello, Größe" {
		t.Errorf("UTF-16: %q", got[0].Content)
	}
}

func TestEmptyDocuments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"": true, " \r\n\t\n": true, "\ufeff\n": true, "From a Thu Aug 22 12:36:23 2002\n": true, "x": false, "From: a\nTo: b\n": false} {
		got, err := standardInput(strings.NewReader(in), corpus.Options{})
		if err != nil || len(got) != 1 || got[0].IsEmpty() != want {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
	got, err := stream(strings.NewReader(`{"text":"","attributes":{"x":1}}`+"\n"+`{"text":""}`), corpus.Options{})
	if err != nil || got[0].IsEmpty() || !got[1].IsEmpty() {
		t.Errorf("%+v, %v", got, err)
	}
}

// What is cut says so.
func TestCutIsSaid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for name, in := range map[string]string{
		"a.txt": long, "b.mbox": mbox1 + long, "c.jsonl": `{"text":"` + long + `"}`, "d.csv": "text\n" + long + "\n",
	} {
		o := corpus.Options{MaxBytes: 50}
		dir := tree(t, map[string]string{name: in})
		var cut bool // the last document
		last := func(d *corpus.Document) error { cut = d.Cut; return nil }
		if err := corpus.Walk(context.Background(), dir, o, last); err != nil || !cut {
			t.Errorf("%s: cut %t, %v", name, cut, err)
		}
		o.MaxBytes = 1000
		if err := corpus.Walk(context.Background(), dir, o, last); err != nil || cut {
			t.Errorf("%s, whole: cut %t, %v", name, cut, err)
		}
	}
}
