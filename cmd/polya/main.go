// Polya sorts mail and other documents into classes that it learns from
// examples, and keeps what it has learned in one file. See 'polya help'.
package main

import (
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
)

// program is the state that all commands share.
type program struct{ *command.Program }

func main() {
	growStack()
	os.Exit(run(os.Args[1:]))
}

// run is main, and returns the exit code.
func run(args []string) (code int) {
	p := &program{command.New("polya", helpTexts)}
	if options, ok := bogofilterArguments(os.Args[0], args); ok {
		return p.bogofilter(options)
	}
	return p.Execute(p.root(args), args)
}

func (p *program) root(args []string) *cobra.Command {
	root := p.Root("sort mail and other documents into classes learned from examples")
	p.DryRunFlag(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case p.DryRun && slices.Contains(wholeFiles, cmd.Name()):
			return command.Misuse(cmd, "%s writes a whole file, and has no --dry-run", cmd.Name())
		case p.DryRun && cmd.Name() == "teach":
			return command.Misuse(cmd, "teach asks the daemon, and has no --dry-run")
		}
		p.listen(cmd, args)
		return nil
	}
	commands := p.commands(args)
	root.AddCommand(commands...)
	if len(commands) == len(commandMakers()) {
		root.AddCommand(topics()...)
	}
	return root
}

// wholeFiles are the commands that write a file and change no counts.
var wholeFiles = []string{"backup", "restore", "compact"}
