package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/mail"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/config"
	"github.com/polya-classifier/polya/serve/daemon"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/testdata"
)

func demoCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "demo",
		Short:   "open the page on sample mail",
		Example: "    polyad demo",
		Args:    command.Needs(0, 0, ""),
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.ComplainEach(p.demo(cmd.Context())) },
	}
}

// demo serves the page, from a temporary folder, until ctx ends.
func (p *program) demo(ctx context.Context) error {
	dir, err := outfile.TempFolder("polya-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, link, err := config.Page(filepath.Join(dir, "demo.polya"), freeAddress("0"), filepath.Join(dir, "token"))
	if err != nil {
		return err
	}
	c.Database.Control, c.Database.Spam = false, []string{"spam"}
	learned, answered, err := learnSamples(ctx, c)
	if err != nil {
		return err
	}
	p.Printf("Learned %d messages into a temporary database, and answered for %d.\n", learned, answered)
	return daemon.Run(ctx, dir, daemon.Options{
		Version: p.Version(), Log: p.Stderr, Load: func(string) (*config.Config, error) { return c, nil },
		Ready: func() {
			p.Printf("\nLook at the answers, correct some, and ask about mail of your own:\n\n    %s\n\nCtrl-C ends it.\n", link)
		},
	})
}

// learnSamples teaches every second sample, and classifies all.
func learnSamples(ctx context.Context, configured *config.Config) (learned, answered int, err error) {
	samples, _ := fs.Glob(testdata.Mail, "mail/*/*/*.eml") // fails for a malformed pattern only
	e, err := engine.New(configured.Engine(slog.New(slog.DiscardHandler)))
	if err != nil {
		return 0, 0, err
	}
	var ask [][]byte
	var batch classify.Batch
	err = e.Follow(ctx, "", true, func(c *classify.Classifier) error {
		for i, name := range samples {
			message, err := fs.ReadFile(testdata.Mail, name)
			if err != nil {
				return err
			}
			if ask = append(ask, message); i%2 > 0 {
				continue
			}
			doc := mail.Document(c, message)
			doc.Source, doc.Time = "demo", time.Now().Add(-time.Duration(i)*5*time.Hour)
			if err := batch.Train(path.Base(path.Dir(name)), doc); err != nil {
				return err
			}
		}
		_, err := c.Apply(ctx, &batch)
		return errors.Join(err, c.Refit(ctx))
	})
	slices.SortFunc(ask, func(a, b []byte) int { return slices.Compare(a[len(a)/2:], b[len(b)/2:]) }) // classes mixed
	for i, message := range ask {
		if _, failed := e.Classify(ctx, backend.Request{Message: message, Source: []string{"milter", "spamc"}[i%2]}, false); failed != nil {
			err = failed
		}
		if i%100 == 99 {
			_ = e.Decisions("", 1) // waits until all earlier ones are written
		}
	}
	return batch.Len(), len(ask), errors.Join(err, e.Close())
}
