// Packaging writes the files shipped beside the programs of polya, and Linux packages of
// both. It is called by build.sh, in the root of the repository:
//
//	packaging FOLDER RUNS [deb rpm apk archlinux]
//
// FOLDER has the programs to ship, and RUNS the same programs for this machine, which print
// the manual, the completions and the configuration. FOLDER gets these, the licences, the list of
// components and the pages of docs. The packages, which the file NAME.yaml describes for programs
// of which NAME is the first, are written beside it. VERSION and ARCH are in the environment, and
// SOURCE_DATE_EPOCH is the time of all files, in seconds.
package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("want FOLDER RUNS [FORMAT…], have %q", args)
	}
	folder, runs, formats := args[0], args[1], args[2:]
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r := release{version: os.Getenv("VERSION"), time: time.Unix(seconds, 0).UTC()}
	build, files, err := built(folder)
	if err != nil {
		return err
	}
	parts, err := components(r, build)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(files[0]), ".exe")
	bom, err := materials(r, files, parts)
	if err != nil {
		return err
	}
	for file, text := range map[string][]byte{"copyright": copyright(parts, false), "copyright.debian": copyright(parts, true), name + ".cdx.json": bom, "changelog": changelog(r, name)} {
		if err := write(filepath.Join(folder, file), text); err != nil {
			return err
		}
	}
	if err := documents(r, runs, folder, name); err != nil {
		return err
	}
	for _, format := range formats {
		if err := pack(r, format, folder, name); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

// documents writes what people read about the programs of a package.
func documents(r release, runs, folder, name string) error {
	if name != manuals[0].program {
		return tool(r, filepath.Join(runs, name), folder, name)
	}
	for _, m := range manuals {
		if err := m.write(r, filepath.Join(runs, m.program), folder); err != nil {
			return err
		}
	}
	settings, err := printer(filepath.Join(runs, "polyad")).print("serve", "--init", "-")
	if err != nil {
		return err
	}
	if err := write(filepath.Join(folder, "polya.toml"), []byte(settings)); err != nil {
		return err
	}
	return pages(folder)
}

// built returns how the programs in a folder were built, with the modules of all of them, and
// their files.
func built(folder string) (*debug.BuildInfo, []string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "polya*"))
	if err != nil || len(files) == 0 {
		return nil, nil, fmt.Errorf("%s has no programs: %w", folder, err)
	}
	var all *debug.BuildInfo
	for _, file := range files {
		build, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		if all == nil {
			all = build
		} else {
			all.Deps = append(all.Deps, build.Deps...)
		}
	}
	byPath := func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(all.Deps, byPath)
	all.Deps = slices.CompactFunc(all.Deps, func(a, b *debug.Module) bool { return a.Path == b.Path })
	return all, files, nil
}

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
