package mail

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/tokenize"
)

var update = flag.Bool("update", false, "write the terms of a version of the analyzer that has none yet")

// TestSameVersionSameTerms holds that a version of the analyzer gives the terms that it always
// gave: a document that was learned with other terms could not be unlearned. The messages have
// every header field that has a meaning, and parts of every kind. What is kept of a version
// never changes; whoever changes terms raises the version in tokenize/spec.go, and writes the
// new version's with -update.
func TestSameVersionSameTerms(t *testing.T) {
	version, _, _ := strings.Cut(tokenize.DefaultSpec, " ")
	for _, version := range []string{"polya-6", version} {
		t.Run(version, func(t *testing.T) { sameTerms(t, version) })
	}
}

func sameTerms(t *testing.T, version string) {
	var got bytes.Buffer
	for _, settings := range []string{"", " lang=en stem=on ngram=2 min=1 digits=off channel=grams attr=mail"} {
		a, err := tokenize.New(version + settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"header", "parts", "text"} {
			raw, err := os.ReadFile(filepath.Join("testdata", "terms", name+".eml"))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "# %s.eml, %s\n", name, a.Spec())
			var bag tokenize.Bag
			m := ReadMessage(a, &bag, raw)
			fmt.Fprintf(&got, "id %x\n", m.ID)
			for _, v := range m.Attributes {
				fmt.Fprintf(&got, "%s = %v\n", v.Name, v.Value)
			}
			got.WriteString(linesOf(&bag))
		}
		if version == "polya-6" { // whose file has no more
			continue
		}
		fmt.Fprintf(&got, "# a page and a text, %s\n", a.Spec())
		var bag tokenize.Bag
		a.HTML(&bag, []byte("<title>Tea</title><p>Viel \u2603 Regen<p hidden>Sonne"))
		a.Text(&bag, "", []byte("Zürich 8001, 東京"))
		got.WriteString(linesOf(&bag))
	}
	path := filepath.Join("testdata", "terms", version+".txt")
	want, err := os.ReadFile(path)
	if *update && errors.Is(err, fs.ErrNotExist) {
		want, err = got.Bytes(), os.WriteFile(path, got.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	has, had := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(has), len(had)) {
		if i >= len(has) || i >= len(had) || has[i] != had[i] {
			t.Fatalf("%s, line %d: a term of %s has changed: %q, which was %q", path, i+1, version, has[min(i, len(has)-1)], had[min(i, len(had)-1)])
		}
	}
}

// linesOf returns a line for each term, in order.
func linesOf(bag *tokenize.Bag) string {
	var lines []string
	for i := range bag.Len() {
		term, n := bag.At(i)
		lines = append(lines, fmt.Sprintf("%+q %d\n", term, n))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestTermsOfEveryField holds that the message behind the terms that are kept has every field
// that the analyzer knows.
func TestTermsOfEveryField(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "terms", "header.eml"))
	if err != nil {
		t.Fatal(err)
	}
	s := scans.Get().(*scan)
	defer s.free()
	head, _ := s.split(raw, true)
	has := func(match func(name string) bool) bool {
		return slices.ContainsFunc(head, func(f field) bool { return match(string(f.name)) })
	}
	known := slices.Concat(namesIn(t, "fields.go", "fieldTerm"), namesIn(t, "ignored.go", "isSilentName"), own)
	for _, name := range known {
		if !has(func(have string) bool { return have == name }) {
			t.Errorf("no field %q", name)
		}
	}
	for _, prefix := range ignoredPrefixes {
		if !has(func(have string) bool { return strings.HasPrefix(have, prefix) }) {
			t.Errorf("no field %q…", prefix)
		}
	}
	for _, part := range ignoredParts {
		if !has(func(have string) bool { return strings.Contains(have, part) }) {
			t.Errorf("no field …%q…", part)
		}
	}
}

// namesIn returns the names of fields in the cases of a function.
func namesIn(t *testing.T, path, function string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f.Name.Name == function
		}
		c, ok := n.(*ast.CaseClause)
		if !ok {
			return true
		}
		for _, e := range c.List {
			name, err := strconv.Unquote(e.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
		}
		return false
	})
	if len(names) < 20 {
		t.Fatalf("fields %q: %s is not read", names, function)
	}
	return names
}
