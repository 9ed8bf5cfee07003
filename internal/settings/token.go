package settings

import (
	"os"
	"runtime"
	"strings"
)

// minToken is the least length of a token, so that it cannot be guessed.
const minToken = 16

// Token reads the token from the file that the key names, which nobody else may be able to
// read. Errors are added under the key.
func (k *Checker) Token(key, file string) string {
	info, err := os.Stat(file)
	if err != nil {
		k.Wrong(key, "%v", err)
		return ""
	}
	if info.Mode().Perm()&0o007 != 0 && runtime.GOOS != "windows" {
		k.Wrong(key, "everybody may read or write %s: want mode 0600 or 0640", file)
	}
	text, err := os.ReadFile(file)
	token := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		k.Wrong(key, "%v", err)
	case len(token) < minToken || strings.ContainsAny(token, " \t\r\n:"):
		k.Wrong(key, "%s: want one word of at least %d characters, without a colon", file, minToken)
	}
	return token
}
