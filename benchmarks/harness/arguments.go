package harness

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// Count is a flag for a whole number that may be written as 1e6.
func Count(f *flag.FlagSet, name string, value int, about string) *int {
	f.Func(name, fmt.Sprintf("%s (default %d)", about, value), func(s string) error {
		x, err := strconv.ParseFloat(s, 64)
		value = int(x)
		return err
	})
	return &value
}

// Scratch returns a new folder in dir, $TMPDIR by default, that the caller removes.
func Scratch(dir string) (path string, remove func()) {
	path = Must(filepath.Abs(Must(os.MkdirTemp(dir, "bench-"))))
	return path, func() { os.RemoveAll(path) }
}

// module is the path of the packages.
const module = "github.com/polya-classifier/polya/"

// Build returns the absolute path of a program, for which it builds the command of that
// name into dir, unless a path is given. Flags and environment are of the compiler.
func Build(path, dir, command string, env []string, flags ...string) string {
	if path != "" {
		return Must(filepath.Abs(path))
	}
	path = filepath.Join(dir, filepath.Base(command))
	build := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), module+command)...)
	build.Env, build.Stderr = append(os.Environ(), env...), os.Stderr
	if err := build.Run(); err != nil {
		Failf("building %s: %w (it takes the repository; else name a program)", command, err)
	}
	return path
}
