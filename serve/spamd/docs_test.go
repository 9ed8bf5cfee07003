package spamd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/serve/internal/servetest"
)

// TestDocs holds that the pages show the files that the tests use.
func TestDocs(t *testing.T) {
	for folder, page := range map[string]string{"exim": "exim.md", "spamc": "spamc.md", "spamass-milter": "spamc.md"} {
		shown := unindented(servetest.Page(t, filepath.Join("..", "..", "docs", page)))
		files, err := os.ReadDir(filepath.Join("..", "..", "docs", folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := filepath.Join(folder, file.Name())
			if !strings.Contains(shown, unindented(servetest.Page(t, filepath.Join("..", "..", "docs", name)))) {
				t.Errorf("docs/%s does not show docs/%s as it is", page, name)
			}
		}
	}
}

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}
