package mail

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// Each word in charset.go, and each part of it, has the encoding that x/text gives it.
func TestStandardLabels(t *testing.T) {
	text, err := os.ReadFile("charset.go")
	if err != nil {
		t.Fatal(err)
	}
	labels := regexp.MustCompile(`[^\s"]+`).FindAllString(string(text), -1)
	if len(labels) < 500 {
		t.Fatalf("found %d words", len(labels))
	}
	found := map[string]bool{}
	for _, label := range labels {
		for i := range len(label) {
			for j := i; j <= len(label); j++ {
				want, err := htmlindex.Get(label[i:j])
				if got := standard(label[i:j]); err == nil && got != want || err != nil && got != nil {
					t.Errorf("%q: %v, want %v", label[i:j], got, want)
				} else if err == nil {
					found[strings.ToLower(label[i:j])] = true
				}
			}
		}
		if standard(" "+strings.ToUpper(label)+"\n") != standard(label) {
			t.Errorf("case or blanks change %q", label)
		}
	}
	if len(found) != 228 {
		t.Errorf("%d labels found, the standard has 228", len(found))
	}
}
