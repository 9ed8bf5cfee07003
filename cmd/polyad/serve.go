package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
)

func serveCommand(p *program) *cobra.Command {
	var init, check bool
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
				return p.writeSettings(args[0], config.Template, "serve")
			case check:
				_, err := config.Load(args[0])
				return p.settingsRead(args[0], "serve", err)
			}
			return p.serve(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&init, "init", false, "write a configuration to begin with to FILE, - for\nstandard output")
	cmd.Flags().BoolVar(&check, "check", false, "say what is wrong in FILE, and do no more")
	return cmd
}

// serve runs the daemon until SIGTERM or Ctrl-C; SIGHUP makes it reread its configuration.
func (p *program) serve(ctx context.Context, path string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	return p.complainEach(orInit(daemon.Run(ctx, path, daemon.Options{Version: p.Version(), Log: p.Stderr, Reload: reload}), path, "serve"))
}
