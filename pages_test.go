package polya_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// linked are the files that pages link to, and those that they name by their paths.
var linked = regexp.MustCompile("\\]\\(([^)#:\\s]+)(?:#[^)]*)?\\)|`((?:store|classify|tokenize|cmd|internal|benchmarks|testdata)/[\\w./-]+)`")

// What the pages link to or name is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Errorf("only the pages %v", pages)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range linked.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]+m[2])))
			if err != nil && m[2] != "" { // named from the root
				_, err = os.Stat(filepath.FromSlash(m[2]))
			}
			if err != nil {
				t.Errorf("%s names what is not there: %v", page, err)
			}
		}
	}
}

// The map has every package except those in cmd and benchmarks.
func TestMap(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range arrows {
		if !within(pkg, "benchmarks") && !within(pkg, "cmd/internal") && !regexp.MustCompile(`\]\(`+pkg+`[)/]`).Match(text) {
			t.Errorf("ARCHITECTURE.md lacks the package %s", pkg)
		}
	}
}

// Each page of docs is one page and near the beginning of README; its files are those that a test uses.
func TestDocs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	first := string(readme)
	pages, _ := filepath.Glob("docs/*.md")
	all := ""
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
		if lines := strings.Count(string(text), "\n"); lines > 115 && page != "docs/textbook.md" {
			t.Errorf("%s has %d lines", page, lines)
		}
		if page != "docs/textbook.md" && !strings.Contains(first, "]("+page+")") {
			t.Errorf("README does not lead to %s", page)
		}
	}
	tests := ""
	for _, pattern := range []string{"serve/*/*_test.go", "serve/internal/servetest/*.go", "cmd/polya/*_test.go", "cmd/polyad/*_test.go"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tests += string(text)
		}
	}
	files, _ := filepath.Glob("docs/*/*")
	if len(files) < 20 {
		t.Errorf("only the files %v", files)
	}
	for _, file := range files {
		if !strings.Contains(all, "]("+strings.TrimPrefix(file, "docs/")+")") {
			t.Errorf("no page leads to %s", file)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".sieve")
		folder := filepath.Base(filepath.Dir(file)) + "/"
		if !strings.Contains(tests, folder+name) && !(strings.Contains(tests, "docs/"+folder) && strings.Contains(tests, name)) {
			t.Errorf("no test uses %s", file)
		}
	}
}
