package main

import (
	"cmp"
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
	"github.com/polya-classifier/polya/store"
)

func maildirCommand(p *program) *cobra.Command { return mailboxes.Maildir(p.watcher()) }

func imapCommand(p *program) *cobra.Command { return mailboxes.IMAP(p.watcher()) }

// watcher returns the part of the program that commands on mailboxes need.
func (p *program) watcher() *mailboxes.Program {
	return &mailboxes.Program{
		Streams: p.Streams, Args: command.Needs, NoArgs: command.Known, Complain: p.Complain, Book: p.book, Write: p.writeSettings, Checked: p.settingsRead,
	}
}

// book returns the database that a watcher uses: the one that --db names, or else the watcher.
func (p *program) book(database, source string) (*watching.Database, error) {
	p.Database = cmp.Or(p.Database, database)
	path, err := p.Path()
	return &watching.Database{
		Source: source,
		Read: func() (*classify.Classifier, error) {
			return p.OpenClassifier(path, classify.Options{
				Holds: classify.Either, Decision: watching.Decision, Store: store.Options{ReadOnly: true},
			})
		},
		Write: func() (*classify.Classifier, error) { // a mailbox may be its first source
			db, _, err := p.OpenCreate(classify.Options{Holds: classify.Either})
			return db, err
		},
		Done: p.ReturnDatabase,
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

// writeSettings writes an initial configuration, unless the file exists; "-" is standard output.
func (p *program) writeSettings(path string, text []byte, name string) error {
	if path == "-" {
		_, err := p.Stdout.Write(text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: exists already; change it, or remove it first", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	p.Printf("%s: written; change what has to be otherwise, then 'polyad %s --check' and 'polyad %s'\n", terminal.Printable(path), name, name)
	return nil
}
