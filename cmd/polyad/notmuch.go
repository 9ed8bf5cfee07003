package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polyad/internal/notmuch"
	"github.com/polya-classifier/polya/store"
)

// notmuchFlags are the flags of the commands below notmuch.
type notmuchFlags struct {
	config       string
	dryRun, json bool
}

func notmuchCommand(p *program) *cobra.Command {
	var f notmuchFlags
	cmd := &cobra.Command{
		Use:   "notmuch",
		Short: "tag the mail of notmuch, and learn from the tags it has",
		Example: `    polyad notmuch init
    polyad notmuch learn
    polyad notmuch tag --dry-run
    polyad notmuch hook --install`,
		Args: command.Known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&f.config, "config", "", "the configuration is `FILE`, not the user's own")
	cmd.AddCommand(
		&cobra.Command{
			Use:   "init",
			Short: "write a configuration that lists the tags there are",
			Args:  command.Needs(0, 0, ""),
			RunE:  func(cmd *cobra.Command, _ []string) error { return p.notmuchInit(cmd.Context(), &f) },
		},
		p.notmuchRun(&f, "learn", "learn from all messages and their tags", (*notmuch.Tagger).Learn),
		p.notmuchRun(&f, "tag", "tag new messages", (*notmuch.Tagger).Tag),
		p.notmuchRun(&f, "fix", "learn from tags that were changed since", (*notmuch.Tagger).Fix),
		p.notmuchHook(&f))
	return cmd
}

// path returns the path of the configuration.
func (f *notmuchFlags) path() (string, error) {
	if f.config != "" {
		return f.config, nil
	}
	return notmuch.DefaultConfig()
}

func (p *program) notmuchInit(ctx context.Context, f *notmuchFlags) error {
	path, err := f.path()
	if err != nil {
		return err
	}
	if err := notmuch.Init(ctx, path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: exists already; change it, or remove it first", path)
	} else if err != nil {
		return err
	}
	p.Printf("%s: written; name the tags to learn in it, then 'polyad notmuch learn'\n", terminal.Printable(path))
	return nil
}

type notmuchWork func(*notmuch.Tagger, context.Context) (notmuch.Done, error)

func (p *program) notmuchRun(f *notmuchFlags, name, short string, work notmuchWork) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  command.Needs(0, 0, ""),
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.notmuch(cmd.Context(), f, work) },
	}
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "say what would be done, and do nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON, one object a line")
	return cmd
}

func (p *program) notmuchHook(f *notmuchFlags) *cobra.Command {
	install := false
	cmd := p.notmuchRun(f, "hook", "fix, then tag: what notmuch is to call after new mail", (*notmuch.Tagger).Hook)
	cmd.Flags().BoolVar(&install, "install", false, "have notmuch call it")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !install {
			return run(cmd, args)
		}
		return p.notmuchInstall(cmd.Context(), f)
	}
	return cmd
}

func (p *program) notmuchInstall(ctx context.Context, f *notmuchFlags) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := []string{self, "notmuch", "hook", "--quiet"}
	if f.config != "" {
		config, err := filepath.Abs(f.config)
		if err != nil {
			return err
		}
		command = append(command, "--config", config)
	}
	path, err := notmuch.Install(ctx, command...)
	if err != nil {
		return err
	}
	p.Printf("%s: written\n", terminal.Printable(path))
	return nil
}

// notmuch calls work with a Tagger for the configuration.
func (p *program) notmuch(ctx context.Context, f *notmuchFlags, work notmuchWork) error {
	path, err := f.path()
	if err != nil {
		return err
	}
	c, err := notmuch.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; 'polyad notmuch init' writes one", err)
	}
	if err != nil {
		return p.complainEach(err)
	}
	timeout, err := p.Waiting.Timeout()
	if err != nil {
		return err
	}
	t, err := notmuch.Open(c, store.Options{Share: true, Timeout: timeout}, f.dryRun)
	if err != nil {
		return err
	}
	defer t.Close()
	t.Remark = func(text string) { p.Note(errors.New(text)) }
	if f.dryRun && !f.json {
		t.Changed = func(id string, add, remove []string) {
			p.Printf("%s\n", terminal.Printable(strings.Join(append(signed("+", add), signed("-", remove)...), " ")+"  id:"+id))
		}
	}
	done, err := work(t, ctx)
	if errors.Is(err, classify.ErrNoDocuments) {
		return fmt.Errorf("%s: nothing was learned yet; 'polyad notmuch learn' does that", c.Database)
	}
	if err != nil {
		return err
	}
	return p.notmuchDone(f, done)
}

func signed(sign string, tags []string) (list []string) {
	for _, tag := range tags {
		list = append(list, sign+tag)
	}
	return list
}

func (p *program) notmuchDone(f *notmuchFlags, done notmuch.Done) error {
	if f.json {
		return p.EncodeJSON(done)
	}
	would := ""
	if f.dryRun {
		would = " (nothing was changed)"
	}
	p.Printf("%s: learned %s with tags and %s without, tagged %s%s\n", terminal.Counted(done.Messages, "message", "messages"),
		terminal.Grouped(done.Learned), terminal.Grouped(done.Observed), terminal.Grouped(done.Tagged), would)
	return nil
}
