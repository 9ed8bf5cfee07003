package mail

import (
	"maps"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

// The words of a subject, and no others, are counted once more as words of the text.
func TestSubjectWords(t *testing.T) {
	t.Parallel()
	a, err := tokenize.New(words)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		raw  string
		want map[string]int
	}{
		{"Subject: [SPAM] Ripe plums, ripe apples =?utf-8?q?caf=C3=A9?=\n\nplums\n", map[string]int{
			"subject:ripe": 2, "ripe": 2, "subject:plums": 1, "plums": 2, "subject:apples": 1, "apples": 1, "subject:café": 1, "café": 1}},
		{"Subject: " + strings.Repeat("ripe ", 200) + "\n\n" + strings.Repeat("ripe ", 200), map[string]int{"subject:ripe": 200, "ripe": tokenize.MaxCount}},
		{"Comments: plums\n\nripe\n", map[string]int{"header:comments": 1, "comments:plums": 1, "ripe": 1}},
	} {
		var bag tokenize.Bag
		Read(a, &bag, []byte(tt.raw))
		got := make(map[string]int)
		for i := range bag.Len() {
			if term, n := bag.At(i); !strings.HasPrefix(string(term), "missing:") {
				got[string(term)] = n
			}
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%.60q:\n got %v\nwant %v", tt.raw, got, tt.want)
		}
	}
}
