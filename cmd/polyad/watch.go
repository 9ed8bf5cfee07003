package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polyad/internal/filing"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/store"
)

type watchFlags struct {
	init, check bool
	once, dry   bool
	first       bool // look once, and say what would be filed
}

func watchCommand(p *program) *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use:   "watch [FILE]",
		Short: "file the new mail of a mailbox, and learn from what is moved there",
		Example: `    polyad watch --init
    polyad watch --dry-run
    polyad watch`,
		Args: command.Needs(0, 1, "the file of the settings"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return p.watch(cmd.Context(), &f, args[0])
			}
			folder, err := os.UserConfigDir()
			if err != nil {
				return err
			}
			return p.watch(cmd.Context(), &f, filepath.Join(folder, "polya", "watch.toml"))
		},
	}
	cmd.Flags().BoolVar(&f.init, "init", false, "ask about the mailbox, and write FILE")
	cmd.Flags().BoolVar(&f.check, "check", false, "say what is wrong in FILE, and do no more")
	cmd.Flags().BoolVar(&f.once, "once", false, "look at the mailbox once, and end")
	cmd.Flags().BoolVarP(&f.dry, "dry-run", "n", false, "say what would be done now, and do nothing")
	cmd.MarkFlagsMutuallyExclusive("init", "check", "once")
	cmd.MarkFlagsMutuallyExclusive("init", "check", "dry-run")
	return cmd
}

func (p *program) watch(ctx context.Context, f *watchFlags, file string) error {
	if f.init {
		return p.setUp(ctx, file)
	}
	s, rules, err := loadMailbox(file)
	if err != nil {
		return p.settingsRead(file, "watch", err)
	}
	if f.check {
		return p.settingsRead(file, "watch", s.missing(ctx, rules))
	}
	w, book, err := p.openMailbox(ctx, s, rules, file, f.dry)
	if err != nil {
		return err
	}
	defer w.Close()
	switch {
	case f.dry, f.first:
		if err = w.Once(ctx); err == nil {
			err = p.outlook(book, rules)
		}
		if f.dry && err == nil {
			p.Printf("nothing was changed\n")
		}
	case f.once:
		err = w.Once(ctx)
	default:
		defer p.servePage(ctx, s, file)()
		w.Run(ctx, s.Interval, p.Complain)
	}
	return err
}

// servePage serves the page that the settings ask for, and returns what waits for its end.
func (p *program) servePage(ctx context.Context, s *mailboxSettings, file string) (end func()) {
	if s.Page == "" {
		return func() {}
	}
	complain := func(err error) {
		if err != nil {
			p.Complain(fmt.Errorf("the page: %w", err))
		}
	}
	link, serve, err := p.page(s.Page, tokenFile(file))
	if err != nil {
		complain(err)
		return func() {}
	}
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- serve(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
		if !terminal.IsTerminal(p.Stdout) { // a log must not have the token
			link, _, _ = strings.Cut(link, "#")
		}
		p.Printf("page: %s\n", link)
	case err := <-ended:
		complain(err)
		return func() {}
	}
	return func() { complain(<-ended) }
}

// tokenFile is the file of the token with which the owner of settings signs in to their page.
func tokenFile(settings string) string { return settings + ".token" }

// missing returns an error about rules whose folders a Maildir does not have.
func (s *mailboxSettings) missing(ctx context.Context, rules filing.Rules) (err error) {
	if s.Maildir == nil {
		return nil
	}
	box, _ := s.box(rules)
	folders, err := box.Folders(ctx)
	for _, f := range rules {
		if err == nil && !slices.Contains(folders, f.Name) {
			err = fmt.Errorf("%s has no Maildir folder %s", s.Maildir.Path, watching.Shown(f.Name))
			same := func(name string) bool { return watching.Shown(name) == watching.Shown(f.Name) }
			if i := slices.IndexFunc(folders, same); i >= 0 {
				err = fmt.Errorf("%w: write %+q, as it is called there", err, folders[i])
			}
			return err
		}
	}
	return err
}

func (p *program) openMailbox(ctx context.Context, s *mailboxSettings, rules filing.Rules, file string, dry bool) (*watching.Watcher, *watching.Database, error) {
	book := p.watchedDatabase(s.Database, rules.OfTags())
	if dry {
		book.Asked = nil
	}
	book.Source, book.Share, book.Sets = s.Source, s.Precision, rules.OfTags()
	book.Classes = classesOf(rules)
	box, name := s.box(rules)
	w, err := watching.Open(watching.Options{
		Mailbox: name, State: file + ".state", Dry: dry, Rules: rules, OldAge: s.Inbox.OldAge, Box: box, Book: book,
		Report: func(line string) { p.Printf("%s\n", terminal.Printable(line)) },
	})
	if err != nil {
		return nil, nil, errors.Join(err, box.Close())
	}
	if !dry {
		if err := book.Fit(ctx); err != nil {
			p.Complain(err)
		}
	}
	return w, book, nil
}

// outlook says for each folder how filing would have done for learned documents.
func (p *program) outlook(book *watching.Database, rules filing.Rules) error {
	defer book.Close()
	var all watching.Outlook
	for _, f := range rules {
		if f.New != filing.File || f.Inbox {
			continue
		}
		e, err := book.Outlook(f)
		if err != nil {
			return err
		}
		all.Sample, all.Filed, all.Correct = e.Sample, all.Filed+e.Filed, all.Correct+e.Correct
		switch name := terminal.Printable(watching.Shown(f.Name)); {
		case e.Filed > 0:
			p.Printf("%s: would have filed %d of the %s learned, about %.0f of them rightly; %s belong there\n",
				name, e.Filed, terminal.Counted(e.Sample, "message", "messages"), e.Correct, terminal.Grouped(e.Belong))
		case e.Sample > 0 && book.Sets:
			p.Printf("%s: set where its probability is at least %g, and else suggested\n", name, f.Precision)
		case e.Sample > 0:
			p.Printf("%s: no answer has reached a precision of %g yet, so mail is suggested and not filed\n", name, cmp.Or(f.Precision, watching.Precision))
		}
	}
	if all.Filed > 0 {
		p.Printf("all: would have filed %d of the %s learned, about %.0f of them rightly; for the others folders are suggested\n",
			all.Filed, terminal.Counted(all.Sample, "message", "messages"), all.Correct)
	}
	return nil
}

// watchedDatabase returns the database that a watcher uses: the one that --db names, or else its settings. If it
// does not exist it will have tags or classes.
func (p *program) watchedDatabase(database string, tags bool) *watching.Database {
	p.Database = cmp.Or(p.Database, database)
	path := p.Path()
	holds := classify.Either
	if tags {
		holds = classify.Tags
	}
	return &watching.Database{
		Read: func() (*classify.Classifier, error) {
			return p.OpenClassifier(path, classify.Options{Holds: holds, Decision: watching.Decision, Store: store.Options{ReadOnly: true}})
		},
		Write: func() (*classify.Classifier, error) { // a mailbox may be its first source
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return nil, err
			}
			return p.OpenCreate(classify.Options{Holds: holds})
		},
		Done: p.ReturnDatabase,
		Asked: func(ctx context.Context, message []byte, source string) { // its page lists the answer
			if daemon := client.Of(path, client.DefaultTimeout); daemon != nil {
				_, _ = daemon.Classify(ctx, backend.Request{Message: message, Source: source}, false)
			}
		},
	}
}

// page returns a daemon that serves the page of the database at an address of this machine, and where
// the owner of the token signs in. The file of the token is made unless it is there.
func (p *program) page(address, tokenFile string) (link string, serve func(context.Context, func()) error, err error) {
	if p.Path() == "" {
		return "", nil, command.ErrNoPath
	}
	c, link, err := config.Page(p.Path(), address, tokenFile)
	return link, func(ctx context.Context, ready func()) error {
		return daemon.Run(ctx, address, daemon.Options{
			Version: p.Version(), Log: p.Stderr, Ready: ready, Load: func(string) (*config.Config, error) { return c, nil },
		})
	}, err
}
