package terminal

import (
	"strings"
	"unicode"
)

// ShellWords quotes words for a POSIX shell.
func ShellWords(words ...string) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("%+,-./:=@_", r)
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		if word == "" || strings.ContainsFunc(word, special) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " ")
}
