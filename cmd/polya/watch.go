package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/polya/internal/maildir"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya/internal/watching"
	"github.com/polya-classifier/polya/store"
)

// watchFlags are those of the commands that watch a mailbox.
type watchFlags struct {
	init, check bool
	once, dry   bool
}

func (f *watchFlags) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.init, "init", false, "write settings to begin with")
	cmd.Flags().BoolVar(&f.check, "check", false, "say what is wrong in the settings, and do no more")
	cmd.Flags().BoolVar(&f.once, "once", false, "look at the mailbox once, and end")
	cmd.Flags().BoolVarP(&f.dry, "dry-run", "n", false, "say what would be done now, and do nothing")
	cmd.MarkFlagsMutuallyExclusive("init", "check", "once")
	cmd.MarkFlagsMutuallyExclusive("init", "check", "dry-run")
}

func maildirCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "maildir",
		Short: "file the new mail of a Maildir, and learn from what is moved there",
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var f watchFlags
	path := ""
	watch := &cobra.Command{
		Use:   "watch ROOT",
		Short: "watch the Maildir at ROOT",
		Example: `    polya maildir watch --init ~/Maildir
    polya maildir watch --dry-run ~/Maildir
    polya maildir watch ~/Maildir`,
		Args: needs(1, 1, "the folder of a Maildir"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.watchMaildir(cmd.Context(), &f, path, args[0]) },
	}
	f.flags(watch)
	watch.Flags().StringVar(&path, "settings", "", "the `FILE` of the settings (default ROOT/polya.toml)")
	cmd.AddCommand(watch)
	return cmd
}

func (p *program) watchMaildir(ctx context.Context, f *watchFlags, path, root string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	path = cmp.Or(path, maildir.SettingsPath(root))
	if f.init {
		text, err := maildir.Template(root)
		if err != nil {
			return err
		}
		return p.writeSettings(path, []byte(text), "maildir watch")
	}
	s, rules, err := maildir.Load(path, root)
	if err != nil || f.check {
		return p.settingsRead(path, "maildir watch", err)
	}
	box := maildir.New(root)
	notice, err := box.Notice(rules)
	if err != nil {
		return err
	}
	defer notice.Close()
	return p.watch(ctx, f, s, watching.Options{Mailbox: root, State: path + ".state", Rules: rules, Box: box}, notice.Wait)
}

// watch watches a mailbox. wait waits so long at most for something to change.
func (p *program) watch(ctx context.Context, f *watchFlags, s *watching.Settings, o watching.Options, wait func(context.Context, time.Duration) error) error {
	p.database = cmp.Or(p.database, s.Database)
	path, err := p.databasePath()
	if err != nil {
		return err
	}
	o.Dry = f.dry
	o.Report = func(e watching.Event) { p.Printf("%s\n", terminal.Printable(e.String())) }
	o.Book = &watching.Database{
		Source: s.Source,
		Read: func() (*classify.Classifier, error) {
			return p.openClassifier(path, classify.Options{Store: store.Options{ReadOnly: true}})
		},
		Write: func() (*classify.Classifier, error) { // a mailbox may be the first to teach it
			db, _, err := p.openCreate(classify.Options{})
			return db, err
		},
		Done: p.returnDatabase,
	}
	w, err := watching.Open(o)
	if err != nil {
		return err
	}
	defer w.Close()
	if f.once || f.dry {
		return w.Finish(ctx)
	}
	w.Run(ctx, s.Interval, wait, p.complain)
	return nil
}

// settingsRead says that a configuration is right, or what is wrong.
func (p *program) settingsRead(path, command string, err error) error {
	if err == nil {
		p.Printf("%s: the configuration is right\n", terminal.Printable(path))
		return nil
	}
	return p.complainEach(orInit(err, path, command))
}

// orInit says how to make a configuration that is not there.
func orInit(err error, path, command string) error {
	if errors.Is(err, fs.ErrNotExist) && !exists(path) {
		return fmt.Errorf("%w; 'polya %s --init' writes one", err, command)
	}
	return err
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

// writeSettings writes a configuration to begin with, unless there are some; "-" is standard output.
func (p *program) writeSettings(path string, text []byte, command string) error {
	if path == "-" {
		_, err := p.Stdout.Write(text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	p.Printf("%s: written; change what has to be otherwise, then 'polya %s --check' and 'polya %s'\n", terminal.Printable(path), command, command)
	return nil
}
