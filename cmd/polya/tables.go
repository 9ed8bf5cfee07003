package main

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// withColumnFlag adds to an error about a column that a table lacks the flag that
// names another.
func withColumnFlag(err error) error {
	var missing *corpus.NoColumnError
	if !errors.As(err, &missing) {
		return err
	}
	name := "COLUMN"
	if alike := missing.Alike(); alike != "" {
		name = terminal.ShellWords(alike)
	}
	return fmt.Errorf("%w; --%s-column %s names it", err, missing.For, name)
}

// size is how many bytes of its source the document has taken, about: those of a row
// are in its cells.
func (d *document) size() int {
	n := len(d.content)
	for _, a := range d.given {
		n += len(a.Text) + 1
	}
	return n
}

// errUnknownRows says what may be the matter where none of several rows is known.
func errUnknownRows(path string) error {
	return fmt.Errorf("%s: no row is known: give --class-column, --text-column, --id-column and --attr as when it was learned", path)
}

// severalError says what to do about a path with several documents, where d is one of
// them and one is wanted.
func severalError(path string, d *document) error {
	advice := "split it, or give one on standard input"
	if d.row {
		advice = "give the header row and one other on standard input, with --format csv -"
	}
	return fmt.Errorf("%s: holds several documents, and explain takes one; %s", path, advice)
}
