package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// goneCommand makes a command of another program, and says so.
func goneCommand(name, where string) func(*program) *cobra.Command {
	return func(*program) *cobra.Command {
		return &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return errors.New(where) },
		}
	}
}
