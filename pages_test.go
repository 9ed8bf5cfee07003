package polya_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Go program of the README, and the examples of the library, are built and vetted in a module
// of their own, which the commands of the README join to a clone.
func TestModuleOutside(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```go\n")
	body, _, ended := strings.Cut(block, "```\n")
	commands := regexp.MustCompile(`(?m)^    go mod .*`).FindAllString(string(readme), -1)
	clone, err := filepath.Abs(".")
	if err != nil || !found || !ended || len(commands) != 2 {
		t.Fatalf("the README has no Go program, or not two commands before it: %q, %v", commands, err)
	}
	examples, err := os.ReadFile("classify/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, source := range map[string]string{
		"go.mod":                   "module example.org/outside\n\ngo 1.26.0\n",
		"main.go":                  "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"" + module + "classify\"\n)\n\nvar ctx = context.Background()\n\nfunc main() {\n" + body + "}\n",
		"examples/example_test.go": string(examples),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range append(commands, "go build ./...", "go vet ./...") {
		fields := strings.Fields(strings.ReplaceAll(strings.TrimSuffix(command, "    # once your code imports it"), "=../polya", "="+clone))
		cmd := exec.Command(fields[0], fields[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
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
