package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
)

func serveCommand(p *program) *cobra.Command {
	var init, check bool
	cmd := &cobra.Command{
		Use:   "serve FILE",
		Short: "answer mail servers and programs, as a daemon",
		Example: `    polya serve --init polya.toml
    polya serve --check polya.toml
    polya serve polya.toml`,
		Args: needs(1, 1, "the file of the configuration"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case init && check:
				return misuse(cmd, "serve takes --init or --check, not both")
			case init:
				return p.writeConfig(args[0])
			case check:
				if _, err := config.Load(args[0]); err != nil {
					return p.complainEach(orInit(err, args[0]))
				}
				p.Printf("%s: the configuration is right\n", terminal.Printable(args[0]))
				return nil
			}
			return p.serve(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&init, "init", false, "write a configuration to begin with to FILE, - for\nstandard output")
	cmd.Flags().BoolVar(&check, "check", false, "say what is wrong in FILE, and do no more")
	return cmd
}

// writeConfig writes the template of a configuration, unless the file is there; "-" is
// standard output.
func (p *program) writeConfig(path string) error {
	if path == "-" {
		_, err := p.Stdout.Write(config.Template)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(config.Template)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	p.Printf("%s: written; change what has to be otherwise, then 'polya serve --check' and 'polya serve'\n", terminal.Printable(path))
	return nil
}

// orInit says how to make a configuration that is not there.
func orInit(err error, path string) error {
	if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
		return fmt.Errorf("%w; 'polya serve --init' writes one", err)
	}
	return err
}

// serve runs the daemon until SIGTERM or Ctrl-C; SIGHUP has it read its configuration anew.
func (p *program) serve(ctx context.Context, path string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	defer signal.Stop(reload)
	completes = false
	return p.complainEach(orInit(daemon.Run(ctx, path, version(), p.remote, p.Stderr, reload), path))
}

// complainEach prints errors that were joined, each in a line of its own.
func (p *program) complainEach(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	for _, err := range many.Unwrap() {
		p.complain(err)
	}
	return answerCode(exitTrouble)
}
