// Command polya-fleet runs polyad serve on several machines that learn from one log, so that each
// answers as all of them were taught.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/cmd/internal/asdaemon"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/config"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/node"
	"github.com/polya-classifier/polya/cmd/polya-fleet/internal/server"
	serve "github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
)

const usage = `polya-fleet: polyad serve on several machines that learn together

    polya-fleet node FILE       run a node; --init writes a FILE to begin with, --check says
                                what would keep the node of one from running
    polya-fleet reseed FILE     make the log: the first time, or when it was lost
    polya-fleet status FILE     say how the nodes and the log are
    polya-fleet verify FILE     compare what the nodes have learned, at one position
    polya-fleet train FILE CLASS [MESSAGES...]
    polya-fleet forget FILE [MESSAGES...]
                                teach by the node of this machine: messages, mboxes, Maildirs

FILE is the configuration of a node. status and verify take --json, these and reseed
--timeout; reseed takes --force. train and forget take --user NAME, to teach his database
rather than that of all. Without MESSAGES one is read from standard input.
They end with 1 if something is wrong, and with 2 if they were called wrongly.
`

// errUsage says that the command was called wrongly; the message was printed.
var errUsage = errors.New("usage")

// errWrong says that something is wrong and was already printed.
var errWrong = errors.New("something is wrong")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		os.Exit(2)
	case errors.Is(err, errWrong):
		os.Exit(1)
	default:
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(os.Stderr, "polya-fleet: %s\n", strings.TrimSpace(line))
		}
		os.Exit(1)
	}
}

// A call of a command: its arguments, of which the first is the configuration file, and its flags.
type call struct {
	name     string
	args     []string
	out, log io.Writer

	init, check, json, force bool
	timeout                  time.Duration
	user                     string
}

// commands have the least and the most arguments of each, and its flags.
var commands = map[string]struct {
	run         func(context.Context, *call) error
	least, most int
	flags       string
}{
	"node":   {runNode, 1, 1, "init check"},
	"reseed": {reseed, 1, 1, "timeout force"},
	"status": {status, 1, 1, "json timeout"},
	"verify": {verify, 1, 1, "json timeout"},
	"train":  {train, 2, math.MaxInt, "user"},
	"forget": {forget, 1, math.MaxInt, "user"},
}

// run runs a command.
func run(ctx context.Context, args []string, out, log io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "help", slices.Contains(args, "--help"), slices.Contains(args, "-h"):
		fmt.Fprint(out, usage)
		return nil
	case len(args) == 1 && args[0] == "version":
		fmt.Fprintln(out, "polya-fleet", version())
		return nil
	case len(args) > 0:
		c := &call{name: args[0], out: out, log: log}
		command, known := commands[c.name]
		if err := c.parse(args[1:], command.flags); err != nil {
			return err
		}
		if known && len(c.args) >= command.least && len(c.args) <= command.most {
			return command.run(ctx, c)
		}
	}
	fmt.Fprint(log, usage)
	return errUsage
}

// parse reads the flags with these names before, between and after the arguments.
func (c *call) parse(args []string, names string) error {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(c.log)
	f.Usage = func() { fmt.Fprint(c.log, usage) }
	for name := range strings.FieldsSeq(names) {
		switch name {
		case "timeout":
			f.DurationVar(&c.timeout, name, 0, "")
		case "user":
			f.StringVar(&c.user, name, "", "")
		default:
			f.BoolVar(map[string]*bool{"init": &c.init, "check": &c.check, "json": &c.json, "force": &c.force}[name], name, false, "")
		}
	}
	for len(args) > 0 {
		if args[0] == "--" {
			c.args = append(c.args, args[1:]...)
			break
		}
		if err := f.Parse(args); err != nil {
			return errUsage
		}
		if args = f.Args(); len(args) > 0 {
			c.args, args = append(c.args, args[0]), args[1:]
		}
	}
	return nil
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
