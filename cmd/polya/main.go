// The quota of a control group is looked up at the start, and no goroutine is started
// to see it change.
//
//go:debug updatemaxprocs=0

// Polya sorts mail and other documents into classes that it learns from
// examples, and keeps what it has learned in one file. See 'polya help'.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/crash"
	_ "github.com/polya-classifier/polya/cmd/polya/internal/stack"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// run is main with the exit code as its result.
func run(args []string) (code int) {
	if os.Getenv("GOGC") == "" {
		// A message is answered before the first collection would be due.
		debug.SetGCPercent(400)
	}
	boundMemory()
	p := &program{Streams: &terminal.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, stopListening: func() {}}
	defer func() { p.stopListening() }()
	root := p.root(args)
	root.SetArgs(args)
	root.PersistentPreRun = p.listen
	c := crash.Catch(func() { code = p.exit(root.ExecuteContext(context.Background())) })
	if c != nil {
		return p.crashed(c)
	}
	return code
}

// program is what all commands share.
type program struct {
	*terminal.Streams

	stopListening func() // for signals

	database string // of --db
	waiting  waiting
}

// commandMakers are the commands by name, in the order of the help.
var commandMakers = []struct {
	name string
	make func(*program) *cobra.Command
}{
	{"train", trainCommand},
	{"classify", classifyCommand},
	{"explain", explainCommand},
	{"forget", forgetCommand},
	{"relabel", relabelCommand},
	{"info", infoCommand},
	{"eval", evalCommand},
	{"calibrate", calibrateCommand},
	{"terms", termsCommand},
	{"attributes", listAttributesCommand},
	{"similar", similarCommand},
	{"rule", ruleCommand},
	{"class", classCommand},
	{"check", checkCommand},
	{"dump", dumpCommand},
	{"load", loadCommand},
	{"merge", mergeCommand},
	{"backup", backupCommand},
	{"restore", restoreCommand},
	{"compact", compactCommand},
	{"prune", pruneCommand},
	{"demo", demoCommand},
	{"completion", completionCommand},
	{"version", versionCommand},
}

// commands returns those commands that args may mean: the ones whose names stand
// among them or, for help, completion and what is mistyped, all. To make all of them
// takes a quarter of a millisecond, a tenth of what an answer takes.
func (p *program) commands(args []string) []*cobra.Command {
	var named, all []*cobra.Command
	for _, c := range commandMakers {
		if slices.Contains(args, c.name) {
			named = append(named, c.make(p))
		}
	}
	if len(named) > 0 && !slices.ContainsFunc(args, asksForHelp) {
		return named
	}
	for _, c := range commandMakers {
		all = append(all, c.make(p))
	}
	return all
}

// asksForHelp says whether the argument may ask for what is said of other commands.
func asksForHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "--help" || arg == "completion" || strings.HasPrefix(arg, "__complete")
}

func (p *program) root(args []string) *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "polya",
		Short:         "sort mail and other documents into classes learned from examples",
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print the version of polya") // cobra's own would take -v
	flags := root.PersistentFlags()
	flags.Var(fileName{&p.database}, "db", "database `FILE`")
	p.waiting.flag(root)
	flags.BoolVarP(&p.Quiet, "quiet", "q", false, "print no results and no notes, only errors")
	flags.BoolVarP(&p.Verbose, "verbose", "v", false, "say also what is broken in messages")
	_ = root.MarkPersistentFlagFilename("db", "polya", "db")
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.DisableDefaultCmd = true // completionCommand is ours
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(p.commands(args)...)
	root.AddCommand(topics()...)
	return root
}
