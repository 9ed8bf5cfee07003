//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// missing returns a program or a module that the peer needs and that is not installed.
func (p *peer) missing(ctx context.Context) string {
	for _, program := range p.programs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	for _, module := range p.modules {
		if exec.CommandContext(ctx, python, "-c", "import "+module).Run() != nil {
			return module
		}
	}
	return ""
}

// install installs the Debian packages of the missing peers. It says so first, and
// prevents the packages' daemons from starting.
func install(ctx context.Context, chosen []*peer) error {
	var packages []string
	for _, p := range chosen {
		if p.missing(ctx) != "" {
			packages = append(packages, p.packages...)
		}
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	if len(packages) == 0 {
		return nil
	}
	fmt.Fprintln(os.Stderr, "installing by apt-get:", strings.Join(packages, " "))
	steps := [][]string{{"update", "-q"}, append([]string{"install", "-qy", "--no-install-recommends"}, packages...)}
	for _, step := range steps {
		apt := exec.CommandContext(ctx, "apt-get", step...)
		apt.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1")
		apt.Stdout, apt.Stderr = os.Stderr, os.Stderr
		if err := apt.Run(); err != nil {
			return fmt.Errorf("apt-get %s: %w (it needs Debian and root)", step[0], err)
		}
	}
	return nil
}
