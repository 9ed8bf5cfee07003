// Package polya_test holds the tests that are about the whole module.
package polya_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/polya-classifier/polya/"

// arrows lists which packages of ours each package may build on, directly or
// through others: the drawing of DESIGN section 4.
var arrows = map[string][]string{
	"store":                      {"internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table"},
	"internal/newfile":           {},
	"store/internal/crc32c":      {},
	"store/internal/lock":        {},
	"store/internal/table":       {"store/internal/crc32c"},
	"tokenize":                   {"tokenize/internal/htmltext", "tokenize/internal/window"},
	"tokenize/internal/window":   {},
	"tokenize/internal/htmltext": {},
	"tokenize/mail":              {"tokenize", "tokenize/internal/htmltext", "tokenize/internal/window"},
	"classify":                   {"store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window", "classify/internal/binomial", "classify/filter", "classify/conjugate", "classify/concept"},
	"classify/mail":              {"classify", "classify/concept", "classify/internal/binomial", "classify/filter", "classify/conjugate", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window", "tokenize/mail"},
	"classify/internal/binomial": {},
	"classify/conjugate":         {},
	"classify/concept":           {},
	"classify/filter":            {},
	"classify/corpus":            {"classify/corpus/internal/inflate"},
	"classify/eval":              {},
	"testdata":                   {},
	"benchmarks/layers":          {},
	"benchmarks/peers":           {},
	"benchmarks/bombs":           {"classify/corpus", "classify/corpus/internal/inflate", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window", "tokenize/mail"},
	"benchmarks/contention":      {},
	"benchmarks/crash":           {"benchmarks/crash/power", "benchmarks/crash/work", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table"},
	"benchmarks/crash/power":     {},
	"benchmarks/crash/work":      {"store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table"},
	"benchmarks/evasion":         {"classify", "classify/concept", "classify/internal/binomial", "classify/filter", "classify/conjugate", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window", "tokenize/mail"},
	"benchmarks/newsgroups":      {"classify", "classify/concept", "classify/internal/binomial", "classify/filter", "classify/conjugate", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window", "tokenize/mail"},
	"benchmarks/zipf":            {"store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window"},
	"benchmarks/growth":          {"benchmarks/zipf", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window"},
	"benchmarks/scale":           {"benchmarks/zipf", "classify", "classify/concept", "classify/internal/binomial", "classify/filter", "classify/conjugate", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window"},
	"benchmarks/rot":             {"benchmarks/rot/trial", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table"},
	"benchmarks/rot/trial":       {"store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table"},
	"benchmarks/accuracy/rules":  {"classify", "classify/concept", "classify/internal/binomial", "classify/filter", "classify/conjugate", "store", "internal/newfile", "store/internal/crc32c", "store/internal/lock", "store/internal/table", "tokenize", "tokenize/internal/htmltext", "tokenize/internal/window", "tokenize/mail"},

	"classify/corpus/internal/inflate": {},
}

// outside lists the modules that a package may need beside the standard
// library, where that is to stay short.
var outside = map[string][]string{
	"store":                      {"go.etcd.io/bbolt", "golang.org/x/sys"},
	"store/internal/table":       {},
	"store/internal/lock":        {"golang.org/x/sys"},
	"classify/corpus":            {"github.com/therootcompany/xz"},
	"classify/eval":              {},
	"classify/internal/binomial": {},
	"classify/conjugate":         {},
	"classify/concept":           {},
	"tokenize":                   {"github.com/blevesearch/segment", "github.com/blevesearch/snowballstem", "github.com/kljensen/snowball", "golang.org/x/text", "golang.org/x/net"},
	"classify": {"go.etcd.io/bbolt", "golang.org/x/sys", "github.com/blevesearch/segment", "github.com/blevesearch/snowballstem",
		"github.com/kljensen/snowball", "golang.org/x/text", "golang.org/x/net"},
}

func TestImports(t *testing.T) {
	for pkg, allowed := range arrows {
		for _, dep := range deps(t, module+pkg) {
			ours, inside := strings.CutPrefix(dep, module)
			if inside && ours != pkg && !slices.Contains(allowed, ours) {
				t.Errorf("%s builds on %s", pkg, ours)
			}
		}
		modules, listed := outside[pkg]
		if !listed {
			continue
		}
		for _, dep := range deps(t, module+pkg) {
			first, _, _ := strings.Cut(dep, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(dep, module) {
				continue // the standard library, or ours
			}
			if !slices.ContainsFunc(modules, func(m string) bool { return dep == m || strings.HasPrefix(dep, m+"/") }) {
				t.Errorf("%s needs %s", pkg, dep)
			}
		}
	}
	for _, pkg := range strings.Fields(run(t, "go", "list", "./...")) {
		name := strings.TrimPrefix(pkg, module)
		if _, listed := arrows[name]; !listed && !strings.HasPrefix(name, "cmd/") && pkg+"/" != module {
			t.Errorf("package %s has no arrows: list it", name)
		}
	}
}

func deps(t *testing.T, pkg string) []string {
	t.Helper()
	list := strings.Fields(run(t, "go", "list", "-deps", pkg))
	if len(list) == 0 {
		t.Fatalf("%s: no packages listed", pkg)
	}
	// What the standard library keeps of x/… under vendor is the standard library.
	return slices.DeleteFunc(list, func(dep string) bool { return strings.HasPrefix(dep, "vendor/") })
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}
