package spelling_test

import (
	"testing"

	"github.com/polya-classifier/polya/internal/spelling"
)

func TestNear(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, other string
		near        bool
	}{
		{"hma", "ham", true}, {"spa", "spam", true}, {"spamm", "spam", true}, {"span", "spam", true}, {"Spam", "spam", true}, {"SPAM", "spam", true},
		{"pasm", "spam", false}, {"ham", "spam", false}, {"work", "word", true}, {"travel", "work", false}, {"spam", "spam", false}, {"", "spam", false},
		{"en", "es", false}, {"En", "en", true}, {"a", "b", false}, {"2025", "2026", false}, {"topic1", "topic2", false}, {"topic", "topic1", false},
		{"größe", "grösse", false}, {"größe", "gröse", true}, {"spam/", "spam", true}, {"aab", "aaab", true}, {"abcd", "abdc", true}, {"abcd", "bacd", true},
	} {
		if got := spelling.Near(tt.name, []string{"zzzzz", tt.other}) == tt.other && tt.other != ""; got != tt.near {
			t.Errorf("%q and %q: %v", tt.name, tt.other, got)
		}
	}
}
