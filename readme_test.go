package polya_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Go program of the README compiles.
func TestReadmeCompiles(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```go\n")
	body, _, ended := strings.Cut(block, "```\n")
	if !found || !ended {
		t.Fatal("the README has no Go program")
	}
	source := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"" + module + "classify\"\n)\n\nvar ctx = context.Background()\n\nfunc main() {\n" + body + "}\n"
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, source)
	}
}
