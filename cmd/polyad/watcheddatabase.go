package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/polyad/internal/watching"
	"github.com/polya-classifier/polya/serve/api/client"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/store"
)

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
