package early

import (
	"os/exec"
	"strings"
	"testing"
)

// The package is initialised before what it does not need, as long as it needs little.
func TestImportsLittle(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		switch name, _, _ := strings.Cut(path, "/"); {
		case name == "net", path == "encoding/json", name == "regexp", name == "log",
			strings.Contains(path, "spf13"), strings.Contains(path, "bbolt"), strings.HasSuffix(path, "polya/store"):
			t.Errorf("it imports %s", path)
		}
	}
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
