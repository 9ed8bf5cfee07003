package corpus

import (
	"strings"
	"testing"
	"time"
)

func TestDetect(t *testing.T) {
	long := strings.Repeat("x", headSize)
	tests := []struct {
		head string
		want Format
	}{
		{"", Text},
		{"\x00\xff\x00", Text},
		{"From here it is a long way", Text},
		{"From here\nTo there: a way\n", Text},
		{"From nobody\nSubject: x\n", Mbox},
		{"From a@example.org Thu Aug 22 12:36:23 2002", Mbox},
		{"From a@example.org Thu Aug 22 12:36:23 2002\r\n\r\n", Mbox},
		{"From: a\nSubject: b", Mail},
		{"From: a\r\nX-Odd : b\r\n\r\nbody", Mail},
		{"X-Spam: yes\n folded\n\tmore\nTo: bar\n", Mail}, {"X-Spam: yes\nFoo: bar\n", Text},
		{"Date: Sun, 05 Jan 1997 02:14:51 GMT\nServer: NCSA/1.4.2\nMIME-version: 1.0\nContent-type: text/html\n\n<html>", Text},
		{"MIME-Version: 1.0\nServer: CERN/3.0\nContent-Length: 9\n\n<html>", Text},
		{"Date: x\nReceived: from a\nServer: y\n\nbody", Mail},
		{"Server: x\n\n<p>", Text}, {"Date: x\nLevel: y\n\nlog", Text},
		{"2024-05-01T10:00:00 server: started\n2024-05-01T10:00:01 from: 10.0.0.1\n", Text}, // a log
		{"[10:00:00] from: a\n[10:00:01] to: b\n", Text},
		{"{\n  \"from\": \"a\",\n  \"to\": \"b\"\n}\n", Text},                                                            // JSON
		{"def f(x):\n    return x\nfrom: y\n", Text},                                                                     // source code
		{"class A:\n    to: int\n    subject: str\n", Text},                                                              // source code
		{"BEGIN:VCARD\nVERSION:3.0\nX-ABUID:1\nEMAIL:a@example.org\n", Text},                                             // a card
		{"BEGIN:VCALENDAR\nPRODID:x\nX-WR-CALNAME:y\nDTSTART:20240101\n", Text},                                          // a calendar
		{"title: x\ndate: 2024-01-01\nx-tag: y\n\n# page", Text},                                                         // of a site's generator
		{"\tby mx.example.org; Mon, 1 Jan 2024\nSubject: x\nFrom a@example.org Mon Jan  1 00:00:00 2024\nTo: b\n", Text}, // an mbox cut in a header
		{"words of a body\n\nFrom a@example.org Mon Jan  1 00:00:00 2024\nTo: b\nSubject: c\n", Text},                    // and in a body
		{">From a@example.org Thu Aug 22 12:36:23 2002\nReceived: x\nDate: y\n", Mail},
		{"From: a\nno header", Text},
		{"Subject: alone\n\nTo: body", Text},
		{"Note: a\nNext: b\nLast: c\n", Text},
		{"Received: " + long[:1000] + "\nFrom: a\n", Mail},
		{" From: a\nTo: b\n", Text},
		{"http://example.org\nTo: me", Mail}, // two header lines, if odd ones
		{"\ufeff\n <!DOCTYPE HTML>", HTML},
		{"<html>", HTML}, {"</p>", HTML}, {"<br/>", HTML}, {"<a href=x>", HTML}, {"<!-- x", HTML}, {"<?xml version", HTML},
		{"<h1", Text}, {"<3 you", Text}, {"<a@example.org> wrote", Text}, {"<https://example.org>", Text}, {"<>", Text}, {"< p>", Text},
		{"From: HTTP/1.1 200 OK\nTo: x", Mail},
		{`{"text":"x"}`, JSONL},
		{" \n{\"id\":1,\"TEXT\":null,\"text\":\"\"}\r\n{bad", JSONL},
		{`{"text":null}`, JSONL},
		{`{"attributes":{"size":1}}`, JSONL},
		{`{"attributes":{}}`, JSONL},
		{`{"attributes":null}`, JSONL},
		{`{"attributes":[1]}`, JSONL},
		{"class,text\nspam,buy\n", Text}, // only a name makes a table of it
		{`{"id":1,"attributes":{"x":"` + long, JSONL},
		{`{"text":5}`, JSONL},
		{`{"id":"text"}`, Text},
		{"{\n \"text\": \"x\"}", Text},
		{`{"id":[1,{"a":2}],"text":"` + long, JSONL},
		{`{"id":"` + long, Text},
		{`{"id":1`, Text},
		{`{"id":"` + long + `","no":` + long, Text},
		{`[{"text":"x"}]`, JSONL},
		{" [\n {\"id\": 1, \"text\": \"x\"},", JSONL},
		{`[{"name":"x"}]`, Text},
		{"[1] see below", Text},
		{"__label__spam buy", Lines},
	}
	for _, tt := range tests {
		if got := new(Options).detect([]byte(tt.head)); got != tt.want {
			t.Errorf("%.60q is %v, want %v", tt.head, got, tt.want)
		}
	}
}

func TestParseFromLine(t *testing.T) {
	want := time.Date(2002, 8, 2, 12, 36, 3, 0, time.UTC)
	for _, line := range []string{
		"From a@example.org Fri Aug  2 12:36:03 2002",
		"From - Fri Aug 02 12:36:03 2002\r\n",
		"From a b c Fri Aug 2 14:36:03 2002 +0200",
		"From 12345@xxx Fri Aug 02 12:36:03 +0000 2002",
		"From a Fri, 2 Aug 2002 08:36:03 -0400",
		"From a Fri Aug 2 12:36:03 GMT 2002 remote from host",
	} {
		if got, ok := parseFromLine([]byte(line)); !ok || !got.Equal(want) {
			t.Errorf("%q: %v, %v", line, got, ok)
		}
	}
	for _, line := range []string{
		"From ", "From a", "From Monday to Friday at 9:00", "From a Aug 40 12:36:03 2002", "From a Aug 2 25:00 2002",
		"From a Aug 2 12:36 1002", "From a " + strings.Repeat("x ", 600) + "Aug 2 12:36 2002",
	} {
		if got, ok := parseFromLine([]byte(line)); ok {
			t.Errorf("%q: %v", line, got)
		}
	}
}

func TestFolderNames(t *testing.T) {
	for name, want := range map[string]string{
		"Junk": "Junk", "R&AOk-sum&AOk-": "Résumé", "Tom &- Jerry": "Tom & Jerry", "&ZeVnLIqe-": "日本語", "&2D3eAA-": "😀",
		"a&b": "a&b", "a&b-": "a&b-", "a&!-": "a&!-", "&\r-": "&\r-", "Запись": "Запись", "": "",
	} {
		if got := FolderName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range []string{"", "From: a\nTo: b\n", "From a Thu Aug 22 12:36:23 2002\n", `{"text":"x"}`, "<p>", "&AOk-"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		if got := new(Options).detect(head); got == Auto || got == Maildir || got > JSONL {
			t.Errorf("%q is %v", head, got)
		}
		if got := Detect(head); !got.single() {
			t.Errorf("%q is %v", head, got)
		}
		FolderName(string(head))
	})
}
