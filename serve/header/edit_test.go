package header

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func edit(message string) string {
	head, body := Edit([]byte(message), []Field{{"X-Polya-Class", "ham; probability=0.7500"}}, Ours)
	return string(head) + string(body)
}

func TestEdit(t *testing.T) {
	const field = "X-Polya-Class: ham; probability=0.7500"
	for _, test := range []struct{ name, in, want string }{
		{"LF", "Subject: plum\n\nbody\n", field + "\nSubject: plum\n\nbody\n"},
		{"CRLF", "Subject: plum\r\n\r\nbody\r\n", field + "\r\nSubject: plum\r\n\r\nbody\r\n"},
		{"CRLF in the body alone", "Subject: plum\n\nbody\r\n", field + "\nSubject: plum\n\nbody\r\n"},
		{"no final newline", "Subject: plum\n\nbody", field + "\nSubject: plum\n\nbody"},
		{"8-bit", "Subject: pl\xfcm\n\n\x00\xff\n", field + "\nSubject: pl\xfcm\n\n\x00\xff\n"},
		{"no body", "Subject: plum\n", field + "\nSubject: plum\n"},
		{"no newline", "Subject: plum", field + "\nSubject: plum"},
		{"no header", "\nbody\n", field + "\n\nbody\n"},
		{"no header, CRLF", "\r\nbody\r\n", field + "\r\n\r\nbody\r\n"},
		{"text alone", "Hello\nthere", field + "\nHello\nthere"},
		{"nothing", "", field + "\n"},
		{"From_ line", "From a@b Thu\nSubject: plum\n\n", "From a@b Thu\n" + field + "\nSubject: plum\n\n"},
		{"From_ line, CRLF", "From a@b Thu\r\nSubject: plum\r\n\r\n", "From a@b Thu\r\n" + field + "\r\nSubject: plum\r\n\r\n"},
		{"From_ lines", "From a\n>From b\nSubject: plum\n\n", "From a\n>From b\n" + field + "\nSubject: plum\n\n"},
		{"From_ line alone", "From a@b Thu", field + "\nFrom a@b Thu"},
		{"From_ line, empty header", "From a@b Thu\n\nbody", "From a@b Thu\n" + field + "\n\nbody"},
		{"a field From with a space", "From : a@b\n\n", field + "\nFrom : a@b\n\n"},
		{"folded at the start", " plum\nSubject: x\n\nbody", field + "\n\n plum\nSubject: x\n\nbody"},

		{"forged", "X-Polya-Class: ham\nSubject: x\n\n", field + "\nSubject: x\n\n"},
		{"forged last", "Subject: x\nX-Polya-Class: ham\n\nbody", field + "\nSubject: x\n\nbody"},
		{"forged twice", "A: b\nX-Polya-Class: ham\nC: d\nX-Polya-Class: ham\n\n", field + "\nA: b\nC: d\n\n"},
		{"any case", "x-POLYA-class: ham\nSubject: x\n\n", field + "\nSubject: x\n\n"},
		{"no space", "X-Polya-Class:ham\nSubject: x\n\n", field + "\nSubject: x\n\n"},
		{"space before the colon", "X-Polya-Class \t: ham\nSubject: x\n\n", field + "\nSubject: x\n\n"},
		{"folded", "X-Polya-Class:\r\n ham\r\n\tfolded\r\nSubject: x\r\n\r\n", field + "\r\nSubject: x\r\n\r\n"},
		{"folded before the colon", "X-Polya-Class\n : ham\nSubject: x\n\n", field + "\nSubject: x\n\n"},
		{"other field of ours", "X-Polya-Reasons: none\nSubject: x\n\n", field + "\nSubject: x\n\n"},
		{"after what is no field", "Hello\nX-Polya-Class: ham\nSubject: x\n\n", field + "\nHello\nSubject: x\n\n"},
		{"at the end of file", "Subject: x\nX-Polya-Class: ham", field + "\nSubject: x\n"},
		{"in the body", "Subject: x\n\nX-Polya-Class: ham\n", field + "\nSubject: x\n\nX-Polya-Class: ham\n"},
		{"longer name", "XX-Polya-Class: ham\n\n", field + "\nXX-Polya-Class: ham\n\n"},
		{"in a value", "Subject: X-Polya-Class: ham\n X-Polya-Class: ham\n\n", field + "\nSubject: X-Polya-Class: ham\n X-Polya-Class: ham\n\n"},

		{"after CR", "A: b\rX-Polya-Class: ham\nSubject: x\n\n", field + "\nA: b\nSubject: x\n\n"},
		{"after CR, folded", "A: b\rX-Polya-Class: ham\r\n folded\r\nB: c\r\n\r\n", field + "\r\nA: b\r\nB: c\r\n\r\n"},
		{"after CR, twice", "A: b\rX-Polya-Class: ham\rX-Polya-Class: ham\nB: c\n\n", field + "\nA: b\nB: c\n\n"},
		{"after CR at a line's start", "A: b\n\rX-Polya-Class: ham\nB: c\n\n", field + "\nA: b\nB: c\n\n"},
		{"before CR", "X-Polya-Class: ham\rA: b\nB: c\n\n", field + "\nA: b\nB: c\n\n"},
		{"before CR CR LF", "X-Polya-Class: ham\r\r\n folded\nB: c\n\n", field + "\r\nB: c\n\n"},
	} {
		if got := edit(test.in); got != test.want {
			t.Errorf("%s: %q became\n%q, want\n%q", test.name, test.in, got, test.want)
		}
	}
}

var (
	unfolded = regexp.MustCompile(`[^\n]*(\n[ \t][^\n]*)*\n?`)
	atCR     = regexp.MustCompile(`(?i)(^|[\r\n])x-polya-[^:\r\n]*:`)
)

// fields counts the fields of a header, the way that programs see them that end lines at LF.
func fields(header []byte) map[string]int {
	fields := map[string]int{}
	for _, field := range unfolded.FindAll(header, -1) {
		fields[string(field)]++
	}
	return fields
}

func FuzzEdit(f *testing.F) {
	for _, s := range []string{
		"", "\n", "\r\n\r\n", "From a\n>From b\nSubject: x\n\nbody", "Hello", " x\n\n", "A: b\rX-Polya-Class: ham\r\n c\r\n\r\nbody",
		"x-polya-class\r\n\t:\n\nbody", "From : a\nX-Polya-Class: x\n\nX-Polya-Class: y", "A\n\r\rX-Polya-:\r\r\n\n", "From x\n y\n\n",
	} {
		f.Add([]byte(s))
	}
	add := []Field{{"X-Polya-Class", "ham"}, {"X-Polya-Second", "1"}}
	f.Fuzz(func(t *testing.T, in []byte) {
		head, body := Edit(in, add, Ours)
		out := slices.Concat(head, body)
		if !bytes.HasSuffix(in, body) {
			t.Fatalf("%q: the body became %q", in, body)
		}
		if again, body := Edit(out, add, Ours); !bytes.Equal(slices.Concat(again, body), out) {
			t.Fatalf("%q: %q became %q", in, out, again)
		}
		at := bytes.Index(head, []byte("X-Polya-Class: ham"))
		if at < 0 || at > 0 && head[at-1] != '\n' || at > 0 && !bytes.HasPrefix(in, head[:at]) {
			t.Fatalf("%q: no field of ours in %q", in, head)
		}
		if n := len(atCR.FindAll(head, -1)); n != 2 {
			t.Fatalf("%q: %d fields of ours in %q", in, n, head)
		}
		before := in[:len(in)-len(body)]
		if !atCR.Match(before) && !bytes.Contains(bytes.ToLower(before), []byte("x-polya-")) {
			if n := len(head) - at; n < len(before)-at || !bytes.HasSuffix(head, before[at:]) {
				t.Fatalf("%q: the header became %q", in, head)
			}
		}
		if bytes.ContainsRune(before, '\r') || len(before) > at && blank(before[at]) {
			return
		}
		left := fields(head[at:])
		for field, n := range fields(before[at:]) {
			if field != "" && left[field] < n && !strings.HasPrefix(strings.ToLower(field), "x-polya-") {
				t.Fatalf("%q: field %q is missing in %q", in, field, head)
			}
		}
	})
}

func TestEach(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	each := func(name string, value []byte) bool {
		fmt.Fprintf(&got, "%s=%q ", name, value)
		return name != "last"
	}
	Each([]byte("From x 1:2\nSubject : a\r\n b\nno field\nEmpty:\nLAST: c\nAfter: d\n\nBody: e\n"), each)
	Each([]byte("X: y"), each)
	Each(nil, each)
	if want := `from x 1="2" subject=" a\r\n b" empty="" last=" c" x=" y" `; got.String() != want {
		t.Errorf("%s, not %s", got.String(), want)
	}
}
