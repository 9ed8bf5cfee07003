package main

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// checkClassName refuses the name of a class, given as an argument, that nobody could
// read or type again. What else a name may not hold the store refuses.
func checkClassName(cmd *cobra.Command, name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return misuse(cmd, "class name %q: want one that is not empty", name)
	case !utf8.ValidString(name):
		return misuse(cmd, "class name %q: want text in UTF-8", name)
	}
	return nil
}
