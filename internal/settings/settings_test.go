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

// What was written in the wrong place is said in words of the file, not of Go.
func TestWrongType(t *testing.T) {
	t.Parallel()
	type table struct {
		Path string `toml:"path"`
	}
	for text, want := range map[string]string{
		`database = "x.polya"`:   "f.toml:1: database: want a value of type table",
		"[[database]]\npath='x'": "f.toml:1: database: want a value of type table",
		`http = [1]`:             "f.toml:1: http: want a value of type table",
		"[http]\npath = 'x'":     "f.toml:1: http: there may be several: its name has two brackets, as in [[name]]",
		"[database]\npath = 1":   "f.toml:2: database.path: want a value of type string",
	} {
		var into struct {
			Database table   `toml:"database"`
			HTTP     []table `toml:"http"`
		}
		if _, err := Parse("f.toml", ".", text, &into); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
