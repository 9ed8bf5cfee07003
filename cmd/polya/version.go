package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/polya-classifier/polya/store"

	"github.com/spf13/cobra"
)

func versionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version of polya",
		Example: "    polya version",
		Args:    needs(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			p.Printf("%s\n", version())
			return nil
		},
	}
}

// version says which polya this is, and what it was built with.
func version() string {
	version, revision := "devel", ""
	if build, ok := debug.ReadBuildInfo(); ok {
		if v := build.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range build.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("polya %s%s, file format %d, %s %s/%s", version, revision, store.FormatVersion,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
