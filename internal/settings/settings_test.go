package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Brackets do not take the stack, however many a file has.
func TestNested(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{maxFile - 4: ":1:", 5 << 20: "more than 256 KiB"} {
		path := filepath.Join(t.TempDir(), "settings.toml")
		if err := os.WriteFile(path, []byte("a = "+strings.Repeat("[", n)), 0o600); err != nil {
			t.Fatal(err)
		}
		var into struct{}
		if _, err := Load(path, &into); err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d brackets: %v", n, err)
		}
	}
}
