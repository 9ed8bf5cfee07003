package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxPrepared is how many bytes a package of ours may allocate before main: every command pays
// for it, whether or not it needs what is made.
const maxPrepared = 4 << 10

var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes`)

// Nothing of ours is made at the start that only some commands need.
func TestStartPreparesLittle(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("polya", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ours := 0
	for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
		if !strings.HasPrefix(m[1], "github.com/polya-classifier/") || strings.HasSuffix(m[1], "/cmd/polya") {
			continue // the last has variables of tests
		}
		ours++
		if bytes, err := strconv.Atoi(m[2]); err != nil || bytes > maxPrepared {
			t.Errorf("%s allocates %s bytes before main, more than %d", m[1], m[2], maxPrepared)
		}
	}
	if ours == 0 {
		t.Errorf("no package of ours is in the trace: %s", out)
	}
}
