package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// JSONFlag adds --json.
func (p *Program) JSONFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.JSON, "json", false, "print JSON, one object a line")
}

// Complete lists the values of a flag to the shell.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(fmt.Sprintf("polya: flag %s: %v", flag, err))
	}
}

// atLeast is the value of a flag that takes a whole number ≥ least.
type atLeast struct {
	value *int
	least int
}

// NumberFlag adds a flag for a whole number ≥ least; *value is the default.
func NumberFlag(cmd *cobra.Command, value *int, name, short string, least int, usage string) {
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

// repeated is the value of a flag that may be given several times. Pflag's own writes its
// default as CSV, which takes memory at every start.
type repeated struct{ list *[]string }

// RepeatedFlag adds a flag that may be given several times.
func RepeatedFlag(cmd *cobra.Command, list *[]string, name, usage string) {
	cmd.Flags().Var(repeated{list}, name, usage)
}

// Set implements pflag.Value.
func (r repeated) Set(s string) error { *r.list = append(*r.list, s); return nil }

func (r repeated) String() string { return strings.Join(*r.list, ",") }

// Type says what the flag takes.
func (r repeated) Type() string { return "text" }
