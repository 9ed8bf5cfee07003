package spelling_test

import (
	"fmt"
	"testing"

	"github.com/polya-classifier/polya/internal/spelling"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, other string
		near        bool
	}{
		{"hma", "ham", true}, {"spa", "spam", true}, {"spamm", "spam", true}, {"span", "spam", true}, {"Spam", "spam", true}, {"SPAM", "spam", true},
		{"pasm", "spam", false}, {"ham", "spam", false}, {"work", "word", true}, {"travel", "work", false}, {"spam", "spam", false}, {"", "spam", false},
		{"en", "es", false}, {"En", "en", true}, {"a", "b", false}, {"2025", "2026", false}, {"topic1", "topic2", false}, {"topic", "topic1", false},
		{"größe", "grösse", false}, {"größe", "gröse", true}, {"spam/", "spam", true}, {"aab", "aaab", true}, {"abcd", "abdc", true}, {"abcd", "bacd", true},
		{"mu\u0308ll", "Müll", true}, {"Mu\u0308l", "Müll", true}, {"u\u0308", "o\u0308", false},
	} {
		want := ""
		if tt.near {
			want = fmt.Sprintf(" (did you mean %q?)", tt.other)
		}
		if got := spelling.Meant(tt.name, []string{"zzzzz", tt.other}); got != want {
			t.Errorf("%q and %q: %s", tt.name, tt.other, got)
		}
	}
	if got := spelling.Meant("Mu\u0308ll", []string{"Müll"}); got != ` (did you mean "Müll", whose accents are composed otherwise?)` {
		t.Errorf("of a Mac's folder: %s", got)
	}
}
