package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/backend"
)

// What is no message, and what cannot be read, is said and keeps no other message from being taught.
// The first that is refused ends it.
func TestWalk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "2.mbox": "From a@x\nSubject: one\n\none\n\nFrom a@x\nSubject: two\n\ntwo\n", "3.eml": "Subject: three\n\nthree\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for refused, want := range map[string]int{"": 3, "one": 0} {
		counts, err := walk(t.Context(), []string{filepath.Join(dir, "nowhere"), dir}, 1, func(r backend.Request) (backend.Outcome, error) {
			if refused != "" && strings.Contains(string(r.Message), refused) {
				return "", errors.New("refused")
			}
			return backend.Learned, nil
		})
		wrong := []string{"nowhere: no such file", "1.png: a PNG image is no message"}
		if refused != "" {
			wrong = append(wrong, "2.mbox:1: refused")
		}
		for _, text := range wrong {
			if err == nil || !strings.Contains(err.Error(), text) || strings.Count(err.Error(), "\n") != len(wrong)-1 {
				t.Errorf("error %v, want %s, in %d lines", err, text, len(wrong))
			}
		}
		if got := counts[backend.Learned]; got != want {
			t.Errorf("%d messages are taught, want %d", got, want)
		}
	}
}
