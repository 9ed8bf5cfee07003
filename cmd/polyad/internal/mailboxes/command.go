// Package mailboxes has the commands that watch mailboxes.
package mailboxes

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/imapbox"
	"github.com/polya-classifier/polya/cmd/polyad/internal/maildir"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
)

// A Program is the part of polya that the commands need.
type Program struct {
	*terminal.Streams

	Args     func(low, high int, what string) cobra.PositionalArgs
	NoArgs   cobra.PositionalArgs // of a command that only has commands
	Complain func(error)          // prints an error

	// Book returns the database that is named, unless that is "" or the user names another.
	Book func(database, source string) (*watching.Database, error)
	// Write writes initial settings for a command; Checked prints the errors of settings, or
	// that there are none.
	Write   func(path string, text []byte, command string) error
	Checked func(path, command string, err error) error
}

// flags are the flags of the commands that watch a mailbox.
type flags struct {
	init, check bool
	once, dry   bool
}

func (f *flags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.init, "init", false, "write settings to begin with")
	cmd.Flags().BoolVar(&f.check, "check", false, "say what is wrong in the settings, and do no more")
	cmd.Flags().BoolVar(&f.once, "once", false, "look at the mailbox once, and end")
	cmd.Flags().BoolVarP(&f.dry, "dry-run", "n", false, "say what would be done now, and do nothing")
	cmd.MarkFlagsMutuallyExclusive("init", "check", "once")
	cmd.MarkFlagsMutuallyExclusive("init", "check", "dry-run")
}

// Maildir is the command about a Maildir.
func Maildir(p *Program) *cobra.Command {
	var f flags
	path := ""
	watch := &cobra.Command{
		Use:   "watch ROOT",
		Short: "watch the Maildir at ROOT",
		Example: `    polyad maildir watch --init ~/Maildir
    polyad maildir watch --dry-run ~/Maildir
    polyad maildir watch ~/Maildir`,
		Args: p.Args(1, 1, "the folder of a Maildir"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.maildir(cmd.Context(), &f, path, args[0]) },
	}
	f.add(watch)
	watch.Flags().StringVar(&path, "settings", "", "the `FILE` of the settings (default ROOT/polya.toml)")
	return p.group("maildir", "file the new mail of a Maildir, and learn from what is moved there", watch)
}

// IMAP is the command about a mailbox on a server.
func IMAP(p *Program) *cobra.Command {
	var f flags
	watch := &cobra.Command{
		Use:   "watch FILE",
		Short: "watch a mailbox on an IMAP server",
		Example: `    polyad imap watch --init imap.toml
    polyad imap watch --dry-run imap.toml
    polyad imap watch imap.toml`,
		Args: p.Args(1, 1, "the file of the settings"),
		RunE: func(cmd *cobra.Command, args []string) error { return p.imap(cmd.Context(), &f, args[0]) },
	}
	f.add(watch)
	return p.group("imap", "file the new mail on an IMAP server, and learn from what is moved there", watch)
}

func (p *Program) group(name, short string, watch *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: p.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(watch)
	return cmd
}

func (p *Program) maildir(ctx context.Context, f *flags, path, root string) error {
	const command = "maildir watch"
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
		return p.Write(path, []byte(text), command)
	}
	s, rules, err := maildir.Load(path, root)
	if err != nil || f.check {
		return p.Checked(path, command, err)
	}
	box := maildir.New(root)
	notice, err := box.Notice(rules)
	if err != nil {
		return err
	}
	defer notice.Close()
	return p.watch(ctx, f, s, watching.Options{Mailbox: root, State: path + ".state", Rules: rules, Box: box}, notice.Wait)
}

func (p *Program) imap(ctx context.Context, f *flags, path string) error {
	const command = "imap watch"
	if f.init {
		return p.Write(path, imapbox.Template, command)
	}
	s, rules, err := imapbox.Load(path)
	if err != nil || f.check {
		return p.Checked(path, command, err)
	}
	box := imapbox.New(s)
	defer box.Close()
	return p.watch(ctx, f, &s.Settings, watching.Options{Mailbox: s.Mailbox(), State: path + ".state", Rules: rules, Box: box}, box.Wait)
}

// outlook ends a dry run: it says for each folder how filing would have done for the
// documents that precision is measured on.
func (p *Program) outlook(book *watching.Database, rules filing.Rules) error {
	defer book.Close()
	for _, f := range rules {
		if f.New == filing.Leave || f.Inbox {
			continue
		}
		e, err := book.Outlook(f)
		if err != nil {
			return err
		}
		switch {
		case e.Filed > 0:
			p.Printf("%s: of %s learned and answered as %s, %d would have been filed, %.1f %% of them rightly\n",
				terminal.Printable(f.Name), terminal.Counted(e.Documents, "document", "documents"), terminal.Printable(f.Class), e.Filed, 100*e.Right/float64(e.Filed))
		case e.Documents > 0:
			p.Printf("%s: no answer as %s has reached a precision of %g so far, and nothing is filed\n", terminal.Printable(f.Name), terminal.Printable(f.Class), f.Precision)
		}
	}
	p.Printf("nothing was changed\n")
	return nil
}

// watch watches a mailbox. wait waits for a change, for a limited time.
func (p *Program) watch(ctx context.Context, f *flags, s *watching.Settings, o watching.Options, wait func(context.Context, time.Duration) error) error {
	book, err := p.Book(s.Database, s.Source)
	if err != nil {
		return err
	}
	for _, f := range o.Rules {
		book.Classes = append(book.Classes, f.Class)
	}
	o.Book = book
	o.Dry = f.dry
	o.Report = func(e watching.Event) { p.Printf("%s\n", terminal.Printable(e.String())) }
	w, err := watching.Open(o)
	if err != nil {
		return err
	}
	defer w.Close()
	if f.dry {
		return errors.Join(w.Finish(ctx), p.outlook(book, o.Rules))
	}
	if f.once {
		return w.Finish(ctx)
	}
	w.Run(ctx, s.Interval, wait, p.Complain)
	return nil
}
