package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/asdaemon"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
)

func serveCommand(p *program) *cobra.Command {
	var init, check, spool bool
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "answer mail servers and programs, as a daemon",
		Example: `    polyad serve --init polya.toml
    polyad serve --check polya.toml
    polyad serve polya.toml`,
		Args: command.Needs(1, 1, "the file of the configuration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case init && check:
				return command.Misuse(cmd, "serve takes --init or --check, not both")
			case init:
				return p.initial(args[0])
			case check:
				return p.check(args[0])
			case spool:
				return p.serve(cmd.Context(), args[0], daemon.Spool)
			}
			return p.serve(cmd.Context(), args[0], daemon.Run)
		},
	}
	cmd.Flags().BoolVar(&init, "init", false, "write a configuration to begin with to FILE, - for\nstandard output")
	cmd.Flags().BoolVar(&check, "check", false, "say what is wrong in FILE, and what of it this user\nmay not open or listen on, and do no more")
	cmd.Flags().BoolVar(&spool, "spool", false, "only take what Dovecot's scripts teach, which the daemon\nlearns when it runs")
	return cmd
}

// initial writes a configuration and its token, or says how to sign in by those that are there.
func (p *program) initial(path string) error {
	if path == "-" {
		_, err := p.Stdout.Write(config.Initial("/etc/polya/polya.toml"))
		return err
	}
	exists := command.Exists(path)
	if !exists {
		if err := p.WriteNew(path, config.Initial(path), 0o644); err != nil {
			return err
		}
		if notes, _ := daemon.Check(path, daemon.Options{}); len(notes) > 0 {
			p.Note(fmt.Errorf("%s; if it is not this daemon, give the listener another address in %s", notes[0], path))
		}
		p.Printf("change what has to be otherwise, then 'polyad serve --check %s' and 'polyad serve %[1]s'\n", terminal.Printable(path))
	}
	link := ""
	c, err := config.Load(path)
	if err == nil {
		link, err = c.MakeToken()
	}
	switch {
	case err != nil:
		return p.ComplainEach(err)
	case exists && link == "":
		return p.WriteNew(path, nil, 0o644) // which says that it exists
	case exists:
		p.Printf("%s: is there already, and stays as it is\n", terminal.Printable(path))
		fallthrough
	case link != "":
		p.Printf("while the daemon runs, who has this link signs in to its page: %s\n", terminal.Printable(link))
	}
	return nil
}

// check says what would keep the daemon, with its rights, from serving a configuration.
func (p *program) check(path string) error {
	if c, err := config.Load(path); err == nil {
		if done, err := asdaemon.Check(p.Program, "polya.service", "serve", path, filepath.Dir(c.Database.Path)); done {
			return err
		}
	}
	notes, err := daemon.Check(path, daemon.Options{})
	for _, note := range notes {
		p.Note(fmt.Errorf("%s; that is right if it is this daemon", note))
	}
	return p.settingsRead(path, "serve", err)
}

// serve runs the daemon until SIGTERM or Ctrl-C; SIGHUP makes it reread its configuration.
func (p *program) serve(ctx context.Context, path string, run func(context.Context, string, daemon.Options) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	return p.ComplainEach(orInit(run(ctx, path, daemon.Options{Version: p.Version(), Log: p.Stderr, Reload: reload}), path, "serve"))
}
