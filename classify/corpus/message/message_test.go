package message_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/classify/corpus/message"
)

// What is surely a message is read as one by package corpus, with the same content.
func TestSure(t *testing.T) {
	t.Parallel()
	const mail = "Subject: one\nTo: two@example.org\n\nText.\n"
	const from = "From a@example.org Thu Aug 22 12:36:23 2002\n"
	for content, sure := range map[string]bool{
		mail:                             true,
		from + mail:                      true,
		from + mail + "\n" + from + mail: false,
		from + mail + "\nFrom here on it is prose.\n": false,
		from + "\n" + mail:                            false,
		from + ">" + from + mail:                      false,
		"From: one\nnothing\n":                        false,
		"":                                            false,
		"\n" + mail:                                   false,
		"\ufeff" + mail:                               false,
		"Just text: of two\nlines.\n":                 false,
		"{\"text\": \"a\"}\nto: b\n":                  false,
		"<html to:\nto: b\n":                          false,
		"BZh91AY&SY:\nto: b\n":                        false,
	} {
		if check(t, "-", []byte(content)) != sure {
			t.Errorf("%q: sure is %v", content, !sure)
		}
	}
	for _, path := range []string{"x.mbox", "x.jsonl.gz", "x.csv", "mbox"} {
		if _, ok := message.Sure(path, []byte(mail)); ok {
			t.Errorf("%s is surely a message", path)
		}
	}
	n := 0
	for _, pattern := range []string{"../../../testdata/mail/*/*/*.eml", "../../../testdata/bad/*.eml"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if check(t, path, content) {
				n++
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d samples are surely messages", n)
	}
}

func FuzzSure(f *testing.F) {
	f.Add([]byte("From a@example.org\nSubject: one\nTo: two\n\nText.\nFrom me"))
	f.Add([]byte("Subject: one\nTo: two\n\nText."))
	f.Fuzz(func(t *testing.T, content []byte) { check(t, "-", content) })
}

// check reports whether the content is surely a message, and compares it with what is read.
func check(t *testing.T, path string, content []byte) bool {
	t.Helper()
	got, ok := message.Sure(path, content)
	if !ok {
		return false
	}
	d, err := corpus.Read(context.Background(), path, corpus.Options{
		Stdin: bytes.NewReader(content), StdinPath: path,
		Remark: func(r corpus.Remark) { t.Errorf("%s: %q: remark %v", path, content, r) },
	})
	if err != nil || d.Format != corpus.Mail || !bytes.Equal(d.Content, got) || d.IsEmpty() {
		t.Errorf("%s: %q: read as %+v, %v", path, content, d, err)
	}
	return true
}
