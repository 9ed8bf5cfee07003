package harness

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ErrUsage is returned for arguments that a measure cannot read. They were shown already.
var ErrUsage = errors.New("wrong arguments")

// Flags returns the empty flags of a measure and its usage, as "peers [flags] CORPUS".
func Flags(usage string) *flag.FlagSet {
	f := flag.NewFlagSet(usage, flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "usage: go run ./benchmarks %s\n", usage)
		f.PrintDefaults()
	}
	return f
}

// Parse reads args and returns those that are no flags: at least so many, and at most.
func Parse(f *flag.FlagSet, args []string, least, most int) []string {
	if f.Parse(args) != nil {
		Check(ErrUsage)
	}
	if f.NArg() < least || f.NArg() > most {
		f.Usage()
		Check(ErrUsage)
	}
	return f.Args()
}

// Scratch returns a new folder in dir, $TMPDIR by default, that the caller removes.
func Scratch(dir string) (path string, remove func()) {
	path = Must(filepath.Abs(Must(os.MkdirTemp(dir, "bench-"))))
	return path, func() { os.RemoveAll(path) }
}

// module is the path of the packages.
const module = "github.com/polya-classifier/polya/"

// Build builds a program into dir as README does: without cgo.
func Build(dir, command string) string {
	path := filepath.Join(dir, filepath.Base(command))
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, module+command)
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		Failf("building %s: %w (it takes the repository)", command, err)
	}
	return path
}
