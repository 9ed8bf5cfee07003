package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polyad/internal/mailboxes"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/store"
)

func watchCommand(p *program) *cobra.Command {
	return mailboxes.Watch(&mailboxes.Program{
		Streams: p.Streams, Args: command.Needs, Complain: p.Complain, Book: p.book, Page: p.page, Chosen: p.chosen,
		Write:   func(path string, text []byte) error { return p.writeFile(path, text, 0o600) },
		Checked: func(path string, err error) error { return p.settingsRead(path, "watch", err) },
	})
}

// book returns the database that a watcher uses: the one that --db names, or else the watcher.
func (p *program) book(database string, tags bool) (*watching.Database, error) {
	p.Database = cmp.Or(p.Database, database)
	path, err := p.Path()
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
			db, _, err := p.OpenCreate(classify.Options{Holds: holds})
			return db, err
		},
		Done: p.ReturnDatabase,
		Asked: func(ctx context.Context, message []byte, source string) { // its page lists the answer
			if daemon := client.Of(path, client.DefaultTimeout); daemon != nil {
				_, _ = daemon.Classify(ctx, backend.Request{Message: message, Source: source}, false)
			}
		},
	}, err
}

// chosen returns the database that --db or POLYA_DB names.
func (p *program) chosen() (string, error) {
	named := cmp.Or(p.Database, os.Getenv("POLYA_DB"))
	if named == "" {
		return "", nil
	}
	return filepath.Abs(named)
}

// page returns a daemon that serves the page of the database, and where to sign in.
func (p *program) page(address, tokenFile string) (link string, serve func(context.Context, func()) error, err error) {
	path, err := p.Path()
	if err != nil {
		return "", nil, err
	}
	c, link, err := config.Page(path, address, tokenFile)
	return link, func(ctx context.Context, ready func()) error {
		return daemon.Run(ctx, address, daemon.Options{
			Version: p.Version(), Log: p.Stderr, Ready: ready, Load: func(string) (*config.Config, error) { return c, nil },
		})
	}, err
}

// settingsRead reports that a configuration is valid, or its errors.
func (p *program) settingsRead(path, name string, err error) error {
	if err == nil {
		p.Printf("%s: the configuration is right\n", terminal.Printable(path))
		return nil
	}
	return p.complainEach(orInit(err, path, name))
}

// orInit adds how to make a missing configuration.
func orInit(err error, path, name string) error {
	if errors.Is(err, fs.ErrNotExist) && !command.Exists(path) {
		return fmt.Errorf("%w; 'polyad %s --init' writes one", err, name)
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
		p.Complain(err)
	}
	return command.AnswerCode(command.Trouble)
}

// writeFile writes a file, unless it exists.
func (p *program) writeFile(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: exists already; change it, or remove it first", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		p.Printf("%s: written\n", terminal.Printable(path))
	}
	return err
}
