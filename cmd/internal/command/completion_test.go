package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// program is a polya that writes down what it is asked to complete and offers two
// classes and a flag's value.
const program = "#!/bin/sh\nshift\nprintf '<%s>' \"$@\" > asked\nprintf '%s\\n' ham spam --is=spam :4\n"

// In a bash without the package bash-completion, the program is asked about the
// words before the cursor, and what it offers is offered.
func TestBash(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line  string   // Tab is pressed at |
		split []string // as bash splits it up to there
		asked string
		offer string
	}{
		{"polya train s|", []string{"polya", "train", "s"}, "<train><s>", "spam"},
		{"polya train |", []string{"polya", "train", ""}, "<train><>", "ham spam --is=spam"},
		{"polya  train   sp|", []string{"polya", "train", "sp"}, "<train><sp>", "spam"},
		{"polya train sp|am x", []string{"polya", "train", "spam"}, "<train><sp>", "spam"},
		{"polya classify --is=s|", []string{"polya", "classify", "--is", "=", "s"}, "<classify><--is=s>", "spam"},
		{"polya classify --is=|", []string{"polya", "classify", "--is", "="}, "<classify><--is=>", "ham spam --is=spam"},
		{"polya explain a:b|", []string{"polya", "explain", "a", ":", "b"}, "<explain><a:b>", ""},
		{"polya explain a :|", []string{"polya", "explain", "a", ":"}, "<explain><a><:>", ""},
	} {
		asked, offer := complete(t, test.line, test.split)
		if asked != test.asked || offer != test.offer {
			t.Errorf("%s: asked %s and offers %q, want %s and %q", test.line, asked, offer, test.asked, test.offer)
		}
	}
}

func complete(t *testing.T, line string, split []string) (asked, offer string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	var script bytes.Buffer
	if err := completeBash(&script, &cobra.Command{Use: "polya"}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"script": script.String(), "polya": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before, after, _ := strings.Cut(line, "|")
	// Without an interactive shell nothing is read that could load the package, and
	// compopt, which is for a Tab that was pressed, has nothing to do.
	cmd := exec.Command(bash, append([]string{"--noprofile", "--norc", "-c", `
		. ./script || exit
		compopt() { :; }
		COMP_LINE=$1 COMP_POINT=$2 COMP_TYPE=9 COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3))
		__start_polya
		echo "${COMPREPLY[@]}"`, "bash", before + after, strconv.Itoa(len(before))}, split...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "BASH_ENV=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	told, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	return string(told), strings.TrimSpace(string(out))
}

// Nothing of the package is called without looking whether it is there.
func TestBashNeedsNothing(t *testing.T) {
	t.Parallel()
	var script bytes.Buffer
	if err := completeBash(&script, &cobra.Command{Use: "polya"}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(script.String()) {
		code, _, _ := strings.Cut(line, "#")
		for _, name := range []string{"_get_comp_words_by_ref", "_filedir", "__ltrim_colon_completions"} {
			if strings.Contains(code, name) {
				t.Errorf("%s is called: %s", name, line)
			}
		}
	}
}
