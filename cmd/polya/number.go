package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// atLeast is the value of a flag that takes a whole number from least on.
type atLeast struct {
	value *int
	least int
}

// numberFlag adds a flag for a whole number from least on; what it has is the default.
func numberFlag(cmd *cobra.Command, value *int, name, short string, least int, usage string) {
	cmd.Flags().VarP(atLeast{value, least}, name, short, usage)
}

// Set implements pflag.Value.
func (n atLeast) Set(s string) error {
	x, err := strconv.Atoi(s)
	if err != nil || x < n.least {
		return fmt.Errorf("want %s", n.Type())
	}
	*n.value = x
	return nil
}

func (n atLeast) String() string { return strconv.Itoa(*n.value) }

// Type says what the flag takes.
func (n atLeast) Type() string { return fmt.Sprintf("a whole number, %d or more", n.least) }

// fileName is the value of a flag that takes the name of a file. An empty one comes from
// a variable that is not set, and would stand for a file that nobody means.
type fileName struct{ value *string }

// Set implements pflag.Value.
func (n fileName) Set(s string) error {
	if s == "" {
		return errors.New("want " + n.Type())
	}
	*n.value = s
	return nil
}

func (n fileName) String() string { return *n.value }

// Type says what the flag takes.
func (n fileName) Type() string { return "the name of a file" }

// flagError says of a value that a flag cannot have what it wants instead.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return misuse(cmd, "%w", err)
	}
	flag := invalid.GetFlag()
	return misuse(cmd, "--%s %s: want %s", flag.Name, quotedIfEmpty(invalid.GetValue()), wanted(flag.Value.Type()))
}

// quotedIfEmpty shows that an argument is empty.
func quotedIfEmpty(arg string) string {
	if arg == "" {
		return "''"
	}
	return arg
}

// wanted describes the values of pflag's types.
func wanted(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number, 0 or more"
	case "float64":
		return "a number"
	case "bool":
		return "true or false, or nothing"
	}
	return kind
}
