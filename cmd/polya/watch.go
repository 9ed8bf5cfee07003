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
	"github.com/polya-classifier/polya/cmd/internal/mailboxes"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/internal/watching"
	"github.com/polya-classifier/polya/store"
)

func maildirCommand(p *program) *cobra.Command { return mailboxes.Maildir(p.watcher()) }

func imapCommand(p *program) *cobra.Command { return mailboxes.IMAP(p.watcher()) }

// watcher returns the part of the program that commands on mailboxes need.
func (p *program) watcher() *mailboxes.Program {
	return &mailboxes.Program{
		Streams: p.Streams, Args: needs, NoArgs: knownCommand, Complain: p.complain, Book: p.book, Write: p.writeSettings, Checked: p.settingsRead,
	}
}

// book returns the database that a watcher uses: the one that --db names, or else the watcher.
func (p *program) book(database, source string) (*watching.Database, error) {
	p.database = cmp.Or(p.database, database)
	path, err := p.databasePath()
	return &watching.Database{
		Source: source,
		Read: func() (*classify.Classifier, error) {
			return p.openClassifier(path, classify.Options{
				Holds: classify.Either, Decision: watching.Decision, Store: store.Options{ReadOnly: true},
			})
		},
		Write: func() (*classify.Classifier, error) { // a mailbox may be its first source
			db, _, err := p.openCreate(classify.Options{Holds: classify.Either})
			return db, err
		},
		Done: p.returnDatabase,
	}, err
}

// settingsRead reports that a configuration is valid, or its errors.
func (p *program) settingsRead(path, command string, err error) error {
	if err == nil {
		p.Printf("%s: the configuration is right\n", terminal.Printable(path))
		return nil
	}
	return p.complainEach(orInit(err, path, command))
}

// orInit adds how to make a missing configuration.
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

// writeSettings writes an initial configuration, unless the file exists; "-" is standard output.
func (p *program) writeSettings(path string, text []byte, command string) error {
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
	p.Printf("%s: written; change what has to be otherwise, then 'polya %s --check' and 'polya %s'\n", terminal.Printable(path), command, command)
	return nil
}
