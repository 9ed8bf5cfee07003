// Packaging writes the files shipped beside a program of polya, and Linux packages of
// both. It is called by build.sh, in the root of the repository:
//
//	packaging PROGRAM RUNS FOLDER [deb rpm apk archlinux]
//
// PROGRAM is the program to ship, and RUNS the same program for this machine, which prints
// the manual and the completions. FOLDER gets the licences, the list of components, the
// manual and the completions, and the packages. VERSION and ARCH are in the environment,
// and SOURCE_DATE_EPOCH is the time of all files, in seconds.
package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("want PROGRAM RUNS FOLDER [FORMAT…], have %q", args)
	}
	program, runs, folder, formats := args[0], args[1], args[2], args[3:]
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r := release{version: os.Getenv("VERSION"), time: time.Unix(seconds, 0).UTC()}
	build, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	parts, err := components(r, build)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(folder, "copyright"), copyright(parts)); err != nil {
		return err
	}
	bom, err := materials(r, program, parts)
	if err != nil {
		return err
	}
	if err := write(filepath.Join(folder, "polya.cdx.json"), bom); err != nil {
		return err
	}
	if err := manual(r, runs, folder); err != nil {
		return err
	}
	for _, format := range formats {
		if err := pack(r, format, folder); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

// release describes the release to package.
type release struct {
	version string
	time    time.Time // of all files
}

// write makes a file that everybody may read, and its folders.
func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
