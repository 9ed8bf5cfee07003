package tokenize

import (
	"slices"
	"strings"
	"testing"
)

// Runs of three digits and more are counted by their length, beside the words as they are
// without; those of fields and links are not.
func TestDigits(t *testing.T) {
	t.Parallel()
	tests := []struct{ field, text, want string }{
		{"", "Call 09061701461 or 0906 1701, code 12", "#11 #4*2"},
		{"", "09061701461 09061701461", "#11*2"},
		{"", "12 1 99", ""},
		{"", "2/2 146tf150p", "#3*2"},
		{"", "1,234.5678 and 123-456", "#3*3 #4"},
		{"", "ring \u00a3 0800505060 caf\u00e9 88066", "#10 #5"},
		{"", strings.Repeat("1", 19) + " " + strings.Repeat("1", 20) + " " + strings.Repeat("1", 500), "#19 #20*2"},
		{"", "#11 # 11 ###", ""},
		{"", "www.example.com/12345?id=678901", ""},
		{"subject", "call 09061701461", ""},
	}
	plain, counting := analyzer(t, "polya-7 channel=off digits=off"), analyzer(t, "polya-7 channel=off")
	for _, tt := range tests {
		text := func(a *Analyzer) []string {
			found := strings.Split(terms(func(b *Bag) { a.Text(b, tt.field, []byte(tt.text)) }), "|")
			slices.Sort(found)
			return found
		}
		var lengths, words []string
		for _, term := range text(counting) {
			if strings.HasPrefix(term, "#") {
				lengths = append(lengths, term)
			} else {
				words = append(words, term)
			}
		}
		if got := strings.Join(lengths, " "); got != tt.want {
			t.Errorf("%q has the lengths %q, want %q", tt.text, got, tt.want)
		}
		if want := text(plain); !slices.Equal(words, want) {
			t.Errorf("%q has the words %q, want %q", tt.text, words, want)
		}
	}
}
