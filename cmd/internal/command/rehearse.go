package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/store"
)

// DryRunFlag adds --dry-run to a command and those below it.
func (p *Program) DryRunFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&p.DryRun, "dry-run", false, "change nothing, but print what would be, tried on a copy of the database")
}

// Copy opens a copy of the database, which is gone after Close. The copy of one that does not
// exist is empty, unless o.Store.MustExist.
func (p *Program) Copy(path string, o classify.Options) (*classify.Classifier, error) {
	var copied bytes.Buffer
	read := classify.Options{Holds: o.Holds}
	read.Store.ReadOnly = true
	switch c, err := p.OpenClassifier(path, read); {
	case err == nil:
		_, err = c.Store().Backup(context.Background(), &copied)
		c.Close()
		if err != nil {
			return nil, err
		}
	case o.Store.MustExist || !errors.Is(err, store.ErrNotExist) && !errors.Is(err, store.ErrEmpty):
		return nil, err
	}
	return classify.OpenMemory(copied.Bytes(), o)
}

// rehearse opens a copy of the database for a dry run.
func (p *Program) rehearse(path string, o classify.Options) (*classify.Classifier, error) {
	c, err := p.Copy(path, o)
	if err != nil {
		return nil, err
	}
	renamed := strings.NewReplacer(c.Store().Path(), path)
	p.Stdout, p.Stderr = renaming{p.Stdout, renamed}, renaming{p.Stderr, renamed}
	p.Note(fmt.Errorf("--dry-run: %s stays as it is; what follows would be", path))
	return c, nil
}

// renaming writes the path of the database in place of that of its copy.
type renaming struct {
	io.Writer
	name *strings.Replacer
}

// Write implements io.Writer.
func (r renaming) Write(b []byte) (int, error) {
	if _, err := r.name.WriteString(r.Writer, string(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
