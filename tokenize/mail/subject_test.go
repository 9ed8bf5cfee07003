package mail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// The words of a subject, and no others, are counted once more as words of the text; an
// analyzer of the version before counts as it did.
func TestSubjectWords(t *testing.T) {
	t.Parallel()
	counts := func(spec string, raw []byte) map[string]int {
		a, err := tokenize.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		var bag tokenize.Bag
		_ = Tokenize(a, &bag, raw)
		got := make(map[string]int)
		for i := range bag.Len() {
			term, n := bag.At(i)
			got[string(term)] = n
		}
		return got
	}
	messages := [][]byte{
		[]byte("Subject: [SPAM] Ripe plums, ripe apples =?utf-8?q?caf=C3=A9?=\n\nplums\n"),
		[]byte("Subject: " + strings.Repeat("ripe ", 200) + "\n\n" + strings.Repeat("ripe ", 200)),
		[]byte("From: a@example.org\n\nno subject\n"),
	}
	paths, err := filepath.Glob("../../testdata/bad/*.eml")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, raw)
	}
	for i, raw := range messages {
		want := counts("polya-3", raw)
		if i == 0 && (want["plums"] != 1 || want["ripe"] != 0 || want["subject:ripe"] != 2 || want["subject:spam"] != 0) {
			t.Errorf("polya-3: %v", want)
		}
		for term, n := range want {
			if word, ok := strings.CutPrefix(term, "subject:"); ok {
				want[word] = min(want[word]+n, tokenize.MaxCount)
			}
		}
		got := counts("polya-5", raw)
		for term, n := range want {
			if got[term] != n {
				t.Errorf("message %d: %q counted %d times, want %d", i, term, got[term], n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("message %d: %d terms, want %d", i, len(got), len(want))
		}
	}
}
