// Command polya-fleet runs polyad serve on several machines that learn from one log, so that each
// answers as all of them were taught.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polya-classifier/polya/cmd/internal/asdaemon"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	serve "github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
)

// usageError says how the command was called wrongly.
type usageError struct{ error }

// errWrong says that something is wrong and was already printed.
var errWrong = errors.New("something is wrong")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err == nil {
		return
	}
	if !errors.Is(err, errWrong) {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(os.Stderr, "polya-fleet: %s\n", strings.TrimSpace(line))
		}
	}
	if errors.As(err, new(usageError)) {
		os.Exit(2)
	}
	os.Exit(1)
}

// A call of a command: its arguments, of which the first is the configuration file, and its flags.
type call struct {
	name     string
	args     []string
	out, log io.Writer

	init, check, json, force bool
	timeout                  time.Duration
	user                     string

	config *config.Config // of commands that ask nodes
	conn   *nats.Conn
}

// run runs a command.
func run(ctx context.Context, args []string, out, log io.Writer) error {
	c := &call{out: out, log: log}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(log)
	err := root.ExecuteContext(ctx)
	if err != nil && c.name == "" {
		err = usageError{fmt.Errorf("%w; see 'polya-fleet help'", err)}
	}
	return err
}

func (c *call) root() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use: "polya-fleet", Short: "run polyad serve on several machines that learn together",
		Long: "Run polyad serve on several machines that learn together. FILE is the configuration of a node.\n" +
			"Commands end with 1 if something is wrong, and with 2 if they were called wrongly.",
		SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	add := func(use, short string, args cobra.PositionalArgs, run func(context.Context, *call) error) *pflag.FlagSet {
		command := &cobra.Command{Use: use, Short: short, Args: args}
		command.RunE = func(_ *cobra.Command, args []string) error {
			c.name, c.args = command.Name(), args
			c.timeout, _ = command.Flags().GetDuration("timeout")
			return run(command.Context(), c)
		}
		root.AddCommand(command)
		return command.Flags()
	}
	f := add("node FILE", "run a node", cobra.ExactArgs(1), runNode)
	f.BoolVar(&c.init, "init", false, "write a FILE to begin with")
	f.BoolVar(&c.check, "check", false, "say what would keep the node of FILE from running")
	f = add("reseed FILE", "make the log: the first time, or when it was lost", cobra.ExactArgs(1), asking(reseed))
	f.Duration("timeout", 2*time.Minute, "wait so long until the nodes follow it")
	f.BoolVar(&c.force, "force", false, "do without nodes and servers that do not answer")
	f = add("status FILE", "say how the nodes and the log are", cobra.ExactArgs(1), asking(status))
	f.Duration("timeout", 2*time.Second, "wait so long for answers")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f = add("verify FILE", "compare what the nodes have learned, at one position", cobra.ExactArgs(1), asking(verify))
	f.Duration("timeout", time.Minute, "wait so long for answers")
	f.BoolVar(&c.json, "json", false, "print JSON")
	const messages = "messages, mboxes and Maildirs, by the node of this machine"
	f = add("train FILE CLASS [MESSAGES...]", "teach "+messages, cobra.MinimumNArgs(2), train)
	f.StringVar(&c.user, "user", "", "teach the database of `NAME` rather than that of all")
	f = add("forget FILE [MESSAGES...]", "forget "+messages, cobra.MinimumNArgs(1), forget)
	f.StringVar(&c.user, "user", "", "teach the database of `NAME` rather than that of all")
	add("version", "print the version", cobra.NoArgs, func(_ context.Context, c *call) error {
		_, err := fmt.Fprintln(c.out, "polya-fleet", version())
		return err
	})
	return root
}

// runNode runs a node until SIGTERM or Ctrl-C; SIGHUP makes it reread the configuration of
// polyad serve.
func runNode(ctx context.Context, a *call) error {
	if a.init {
		return write(a.args[0], config.Template, a.out)
	}
	c, err := config.Load(a.args[0])
	if err != nil {
		return err
	}
	if a.check {
		return checkNode(a.args[0], c, a.out, a.log)
	}
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	return node.Run(ctx, c, version(), a.log, reload)
}

// checkNode says what would keep a node from running. Root asks with the rights that it will have.
func checkNode(path string, c *config.Config, out, log io.Writer) error {
	d, err := c.Daemon()
	if err != nil {
		return err
	}
	code, done, err := asdaemon.Check("polya-fleet.service", "node", path, filepath.Dir(d.Database.Path), 1, out, log)
	switch {
	case done && err == nil && code != 0:
		return errWrong
	case done:
		return err
	}
	notes, err := daemon.Check(c.Serve, daemon.Options{Load: func(string) (*serve.Config, error) { return c.Daemon() }})
	more, wrong := server.Check(c)
	for _, note := range append(notes, more...) {
		fmt.Fprintf(log, "polya-fleet: %s; that is right if it is this node\n", note)
	}
	if err = errors.Join(err, wrong); err == nil {
		fmt.Fprintf(out, "%s: the configuration is right\n", path)
	}
	return err
}

// write makes a file that is not there yet.
func write(path string, text []byte, out io.Writer) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		fmt.Fprintf(out, "%s: written; change it, then 'polya-fleet node --check %s'\n", path, path)
	}
	return err
}

// release is set by the linker in packaged programs.
var release string

// version returns the version of the build.
func version() string {
	if release != "" {
		return release
	}
	if i, ok := debug.ReadBuildInfo(); ok && i.Main.Version != "" {
		return i.Main.Version
	}
	return "unknown"
}
