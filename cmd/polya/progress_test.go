package main

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// An evaluation says how far it is also on a terminal that does not know its size.
func TestProgressWithoutSize(t *testing.T) {
	t.Parallel()
	script, err := exec.LookPath("script")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no script, or one with other options")
	}
	out, err := exec.Command(script, "-qec", "stty rows 0 cols 0; polya eval --folds 5 ../../testdata/mail/train", "/dev/null").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, stage := range []string{"learning", "fitting"} {
		if !strings.Contains(string(out), stage+" ") {
			t.Errorf("no bar for %s in %.2000q", stage, out)
		}
	}
}
