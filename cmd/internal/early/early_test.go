package early

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The package is initialised before what it does not need, as long as it needs little.
func TestImportsLittle(t *testing.T) {
	t.Parallel()
	for _, path := range imported(t, ".") {
		switch name, _, _ := strings.Cut(path, "/"); {
		case name == "net", path == "encoding/json", name == "regexp", name == "log",
			strings.Contains(path, "spf13"), strings.Contains(path, "bbolt"), strings.HasSuffix(path, "polya/store"):
			t.Errorf("it imports %s", path)
		}
	}
}

// Go initialises what is ready in the order of names. Package alone must not wait for one of
// the last, as net/netip does: before it would come nearly all others.
func TestAloneIsNotLate(t *testing.T) {
	t.Parallel()
	if slices.Contains(imported(t, "../alone"), "weak") {
		t.Error("it imports weak")
	}
}

// imported lists what a package imports, directly or not.
func imported(t *testing.T, path string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"filter"}, {"--db", "x", "filter"}} {
		if _, ok := Plain(args); !ok {
			t.Errorf("%q is not plain", args)
		}
	}
	for _, args := range [][]string{nil, {"--db", "", "filter"}, {"filter", "--tempfail"}, {"train", "x", "filter"}, {"--db", "filter"}} {
		if database, ok := Plain(args); ok {
			t.Errorf("%q is plain, of %q", args, database)
		}
	}
}
