package terminal

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What argument writes, sh reads as the word that it was.
func TestArgument(t *testing.T) {
	t.Parallel()
	for word, plain := range map[string]bool{
		"note": true, "größe": true, "a.b-c_1": true, "": false, "a note": false, "it's": false, "$x": false, "~": false, "a*": false, "\"": false,
	} {
		written := ShellWords(word)
		if (written == word) != plain {
			t.Errorf("%q is written %s", word, written)
		}
		sh, err := exec.LookPath("sh")
		if err != nil {
			continue
		}
		if out, err := exec.Command(sh, "-c", "printf %s "+written).Output(); err != nil || string(out) != word {
			t.Errorf("%q is written %s and read %q, %v", word, written, out, err)
		}
	}
}

// A shell gives back the words.
func TestShellWords(t *testing.T) {
	words := []string{"polya", "eval", "--fpr", "0.1%,1%", "", "a b", "it's", "$HOME", "*", "größe", "a\nb", "~x"}
	out, err := exec.Command("sh", "-c", "for w in "+ShellWords(words...)+`; do printf '%s\0' "$w"; done`).Output()
	if err != nil {
		t.Skip("no sh: ", err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, words) {
		t.Errorf("%q, want %q", got, words)
	}
	if got, want := ShellWords("polya", "--fpr", "0.1%", "in/x.eml"), "polya --fpr 0.1% in/x.eml"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
