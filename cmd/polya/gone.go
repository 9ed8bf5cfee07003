package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// goneCommand makes a command that has gone to polya-lab, and says so.
func goneCommand(name string) func(*program) *cobra.Command {
	return func(*program) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: "is a command of polya-lab", Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return fmt.Errorf("%s is a command of polya-lab now: polya-lab %s; docs/textbook.md says how to get it", name, name)
			},
		}
	}
}
