// Command polya-fleet runs polyad serve on several machines that learn from one log, so that each
// answers as all of them were taught.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polya-classifier/polya/cmd/internal/asdaemon"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	serve "github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	c := newCall()
	os.Exit(c.Exit(c.run(ctx, os.Args[1:])))
}

// A call of a command: its arguments, of which the first is the configuration file, and its flags.
type call struct {
	*command.Program
	args []string

	init, check, force bool
	timeout            time.Duration

	config *config.Config // of commands that ask nodes
	conn   *nats.Conn
}

func newCall() *call { return &call{Program: command.New("polya-fleet", embed.FS{})} }

// run runs a command.
func (c *call) run(ctx context.Context, args []string) error {
	root := c.root()
	root.SetArgs(args)
	return c.ComplainEach(root.ExecuteContext(ctx))
}

func (c *call) root() *cobra.Command {
	root := &cobra.Command{
		Use: c.Name, Short: "run polyad serve on several machines that learn together",
		Long: "Run polyad serve on several machines that learn together. FILE is the configuration of a node.\n" +
			"Commands end with 1 if the fleet is not well, and with 3 if they fail.",
		Args: command.Known, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetOut(c.Stdout)
	root.SetErr(c.Stderr)
	root.SetFlagErrorFunc(command.FlagError)
	root.CompletionOptions.DisableDefaultCmd = true
	const file = "the file of a configuration"
	add := func(use, short string, args cobra.PositionalArgs, run func(context.Context, *call) error) *pflag.FlagSet {
		cmd := &cobra.Command{Use: use, Short: short, Args: args}
		cmd.RunE = func(_ *cobra.Command, args []string) error {
			c.args = args
			c.timeout, _ = cmd.Flags().GetDuration("timeout")
			return run(cmd.Context(), c)
		}
		root.AddCommand(cmd)
		return cmd.Flags()
	}
	f := add("node FILE", "run a node", command.Needs(1, 1, file), runNode)
	f.BoolVar(&c.init, "init", false, "write a FILE to begin with")
	f.BoolVar(&c.check, "check", false, "say what would keep the node of FILE from running")
	f = add("reseed FILE", "make the log: the first time, or when it was lost", command.Needs(1, 1, file), asking(reseed))
	f.Duration("timeout", 2*time.Minute, "wait so long until the nodes follow it")
	f.BoolVar(&c.force, "force", false, "do without nodes and servers that do not answer")
	f = add("status FILE", "say how the nodes and the log are", command.Needs(1, 1, file), asking(status))
	f.Duration("timeout", 2*time.Second, "wait so long for answers")
	f.BoolVar(&c.JSON, "json", false, "print JSON")
	f = add("verify FILE", "compare what the nodes have learned, at one position", command.Needs(1, 1, file), asking(verify))
	f.Duration("timeout", time.Minute, "wait so long for answers")
	f.BoolVar(&c.JSON, "json", false, "print JSON")
	root.AddCommand(command.VersionCommand(c.Program))
	return root
}

// runNode runs a node until SIGTERM or Ctrl-C; SIGHUP makes it reread the configuration of
// polyad serve.
func runNode(ctx context.Context, a *call) error {
	if a.init {
		err := a.WriteNew(a.args[0], config.Template, 0o644)
		if err == nil {
			a.Printf("change it, then 'polya-fleet node --check %s'\n", a.args[0])
		}
		return err
	}
	c, err := config.Load(a.args[0])
	if err != nil {
		return err
	}
	if a.check {
		return a.checkNode(a.args[0], c)
	}
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	return node.Run(ctx, c, a.Version(), a.Stderr, reload)
}

// checkNode says what would keep a node from running. Root asks with the rights that it will have.
func (a *call) checkNode(path string, c *config.Config) error {
	d, err := c.Daemon()
	if err != nil {
		return err
	}
	if done, err := asdaemon.Check(a.Program, "polya-fleet.service", "node", path, filepath.Dir(d.Database.Path)); done {
		return err
	}
	notes, err := daemon.Check(c.Serve, daemon.Options{Load: func(string) (*serve.Config, error) { return c.Daemon() }})
	more, wrong := server.Check(c)
	for _, note := range append(notes, more...) {
		a.Note(fmt.Errorf("%s; that is right if it is this node", note))
	}
	if err = errors.Join(err, wrong); err == nil {
		a.Printf("%s: the configuration is right\n", path)
	}
	return err
}
