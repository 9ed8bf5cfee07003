package polya_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sources returns the Go files of the tree but tests.
func sources(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(path, ".") && path != "." {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) < 500 {
		t.Fatalf("%d sources, %v", len(paths), err)
	}
	return paths
}

// Every exported name of a package says what it is, but in what measures.
func TestExportedNamesHaveComments(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	for _, path := range sources(t) {
		if within(filepath.ToSlash(path), "benchmarks") {
			continue
		}
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			for _, name := range bare(decl) {
				t.Errorf("%v: %s has no comment", files.Position(decl.Pos()), name)
			}
		}
	}
}

// bare returns the exported names of a declaration without a comment. One comment may be
// for all of a group.
func bare(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
					names = append(names, s.Names[0].Name)
				}
			}
		}
	}
	return names
}

// receiver returns the name of a method's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// No package has more files or lines than a newcomer reads.
func TestRooms(t *testing.T) {
	t.Parallel()
	const mostFiles, mostLines = 35, 6000
	files, lines := map[string]int{}, map[string]int{}
	for _, path := range sources(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Dir(path)]++
		lines[filepath.Dir(path)] += bytes.Count(text, []byte("\n"))
	}
	for pkg := range files {
		if files[pkg] > mostFiles || lines[pkg] > mostLines {
			t.Errorf("%s has %d files and %d lines, want at most %d and %d", pkg, files[pkg], lines[pkg], mostFiles, mostLines)
		}
	}
}

// No program that somebody built is committed, nor another large file.
func TestFilesAreSmall(t *testing.T) {
	t.Parallel()
	_, _ = os.Stat(".git/index") // go test does not keep a result that is older
	names, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a clone")
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		if info, err := os.Lstat(name); err == nil && info.Size() > 2<<20 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
}
