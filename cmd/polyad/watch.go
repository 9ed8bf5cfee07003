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

func watchCommand(p *program) *cobra.Command {
	return mailboxes.Watch(&mailboxes.Program{
		Streams: p.Streams, Args: command.Needs, Complain: p.Complain, Book: p.book,
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
