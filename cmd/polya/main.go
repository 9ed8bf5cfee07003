// Polya sorts mail and other documents into classes that it learns from
// examples, and keeps what it has learned in one file. See 'polya help'.
package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/crash"
	"github.com/polya-classifier/polya/cmd/internal/memory"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

func init() { cobra.EnableCommandSorting = false }

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is main, and returns the exit code.
func run(args []string) (code int) {
	memory.CollectLater()
	memory.Bound()
	p := &program{Streams: &terminal.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, stopListening: func() {}}
	defer func() { p.stopListening() }()
	if options, ok := bogofilterArguments(os.Args[0], args); ok {
		return p.bogofilter(options)
	}
	root := p.root(args)
	root.PersistentPreRun = p.listen
	return p.execute(context.Background(), root, args)
}

// execute runs a command and returns its exit code.
func (p *program) execute(ctx context.Context, root *cobra.Command, args []string) (code int) {
	root.SetArgs(args)
	if c := crash.Catch(func() { code = p.exit(root.ExecuteContext(ctx)) }); c != nil {
		return p.crashed(c)
	}
	return code
}

func (p *program) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "polya",
		Short:         "sort mail and other documents into classes learned from examples",
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--version") }) {
		root.Version = version()
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version of polya") // cobra's own would claim -v
	flags := root.PersistentFlags()
	flags.Var(fileName{&p.database}, "db", "database `FILE`")
	p.waiting.flag(root)
	flags.BoolVarP(&p.Quiet, "quiet", "q", false, "print no results and no notes, only errors")
	flags.BoolVarP(&p.Verbose, "verbose", "v", false, "print what is broken in messages too")
	_ = root.MarkPersistentFlagFilename("db", "polya", "db")
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand is ours
	root.SetFlagErrorFunc(flagError)
	commands := p.commands(args)
	root.AddCommand(commands...)
	if len(commands) == len(commandMakers) {
		root.AddCommand(topics()...)
	}
	return root
}
