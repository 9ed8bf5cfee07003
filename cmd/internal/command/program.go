// Package command has what the command lines of polya's programs have in common: a root with the
// flags of every command, help, errors and exit codes, and how a database is opened.
package command

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Program is a program and the state that its commands share.
type Program struct {
	*terminal.Streams
	Name  string
	Texts embed.FS // help/COMMAND.txt

	Database string // of --db
	Wait     string // of --wait

	ctx      context.Context // that one of signals ends; nil if none is listened for
	signals  chan os.Signal
	giveBack func() // gives the lock of the database back to the daemon; nil if none has handed it over
}

// ofProcess sets what all programs of a process share.
var ofProcess = sync.OnceFunc(func() {
	cobra.EnableCommandSorting = false
	boundMemory()
})

// New returns a program on the streams of the process.
func New(name string, texts embed.FS) *Program {
	ofProcess()
	return &Program{
		Streams: &terminal.Streams{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr},
		Name:    name, Texts: texts,
	}
}

// Execute runs a command and returns its exit code.
func (p *Program) Execute(root *cobra.Command, args []string) (code int) {
	root.SetArgs(args)
	if c := reading.Catch(func() { code = p.Exit(root.ExecuteContext(context.Background())) }); c != nil {
		return p.crashed(c)
	}
	if code != Trouble && p.Lost != nil {
		return p.Exit(fmt.Errorf("the command has ended, and what it printed is lost: %w", p.Lost))
	}
	return code
}

// Root returns the command above all others.
func (p *Program) Root(short string) *cobra.Command {
	root := &cobra.Command{
		Use:           p.Name,
		Short:         short,
		Args:          Known,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// Cobra's own would claim -v, and link the templates and all methods that these could call.
	version := root.Flags().Bool("version", false, "print the version of "+p.Name)
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if !*version {
			return cmd.Help()
		}
		p.Printf("%s\n", p.Version())
		return nil
	}
	flags := root.PersistentFlags()
	flags.Func("db", "database `FILE`", func(name string) error {
		if p.Database = name; name == "" { // of a variable that is not set
			return errors.New("want the name of a file")
		}
		return nil
	})
	flags.StringVar(&p.Wait, "wait", "", "wait up to `TIME` for a database in use: 10s, 2m, 0 (default 10s to\nread, 30s to write)")
	flags.BoolVarP(&p.Quiet, "quiet", "q", false, "print no results and no notes, only errors")
	flags.BoolVarP(&p.Verbose, "verbose", "v", false, "print more: how each document is read")
	_ = root.MarkPersistentFlagFilename("db", "polya", "db")
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetHelpFunc(p.help)
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.DisableDefaultCmd = true // CompletionCommand is ours
	root.SetFlagErrorFunc(FlagError)
	return root
}

// Listen makes Ctrl-C end the context of a command, which then reports its state.
func (p *Program) Listen(cmd *cobra.Command) {
	ctx, cancel := context.WithCancel(cmd.Context())
	cmd.SetContext(ctx)
	signals := make(chan os.Signal, 1)
	p.ctx, p.signals = ctx, signals
	go func() {
		<-signals
		signal.Stop(signals) // a second Ctrl-C ends the process at once
		cancel()
	}()
	p.hear()
}

func (p *Program) hear() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup does
			signal.Notify(p.signals, s)
		}
	}
}

// Killable calls wait, which waits for others and has changed nothing yet: meanwhile Ctrl-C ends the
// process at once.
func (p *Program) Killable(wait func()) {
	if p.ctx != nil && p.ctx.Err() == nil {
		signal.Stop(p.signals)
		defer p.hear()
	}
	wait()
}
