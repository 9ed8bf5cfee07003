package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/polya/internal/reading"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
)

// evalReading reads the documents to evaluate on.
type evalReading struct {
	*program
	flags      *evalFlags
	analyzer   *tokenize.Analyzer
	attributes *reading.Attributes
	corpus     evaluation.Corpus
	roots      []string // of the names of documents
	folders    bool     // some documents come from folders
	notes      []string
	repeats    reading.Repeats
	failed     reading.Troubles
}

// read reads all paths. What cannot be read does not stop it, unless a whole path
// has no documents.
func (r *evalReading) read(ctx context.Context, args []string) error {
	f := r.flags
	b := reading.NewBar(r.Streams, append(append(append([]string{}, f.train...), f.test...), args...), f.walk)
	defer b.Done()
	for _, path := range f.train {
		if err := r.readPath(ctx, b, path, false, len(f.train) > 1); err != nil {
			return err
		}
	}
	for _, path := range f.test {
		if err := r.readPath(ctx, b, path, true, len(f.test) > 1); err != nil {
			return err
		}
	}
	for _, path := range args {
		if err := r.readPath(ctx, b, path, false, len(args) > 1); err != nil {
			return err
		}
	}
	r.corpus.Sort()
	r.notes = append(r.notes, r.attributes.Notes()...)
	if note := r.repeats.Note(); note != "" {
		r.notes = append(r.notes, note)
	}
	return nil
}

// readPath reads one path. Documents are named by where they lie below it, or, where
// there are several paths, by their full paths.
func (r *evalReading) readPath(ctx context.Context, b *terminal.Bar, path string, test, full bool) error {
	root := path
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		root = filepath.Dir(path)
	}
	folders := err == nil && info.IsDir() && !r.flags.labelled || r.flags.folders
	r.folders = r.folders || folders
	r.roots = append(r.roots, root)
	walk := r.flags.walk
	walk.Stdin, walk.Several = r.Stdin, !folders
	switch {
	case !folders && walk.NoClasses:
		return errors.New("--class-column '' reads no classes, and eval wants that of each document")
	case !folders && walk.ClassColumn == "":
		walk.ClassColumn = "class" // which a table must have, then
	}
	var times map[string]time.Time
	if r.flags.byDate {
		if path == "-" {
			return errors.New("standard input cannot be read twice, as --by-date asks; give a file")
		}
		if times, err = reading.Dates(ctx, path, folders, walk); err != nil {
			return err
		}
	}
	before := len(r.corpus.Docs)
	var classless reading.Troubles
	rd := reading.Reader{
		Streams:    r.Streams,
		Options:    walk,
		Attributes: r.attributes,
		Folders:    folders,
		Jobs:       r.flags.jobs,
		Bar:        b,
		Learns:     true,
		Analyzer:   r.analyzer,
		Sorts:      true,
		Deliver: func(d *reading.Document) error {
			if d.Class == "" {
				classless = append(classless, fmt.Errorf("%s: says no class; give a folder of folders, or JSON lines or a table with \"class\"", d.Path))
				return nil
			}
			r.repeats.Add(d, d.Class)
			doc := evaluation.Doc{Path: documentName(root, d.Path, full), ID: d.ID, Time: times[d.Path], Test: test}
			r.corpus.Add(doc, d.Class, &d.Bag, d.Attributes)
			return nil
		},
	}
	if err := rd.Read(ctx, []string{path}); err != nil {
		return err
	}
	r.failed = append(r.failed, rd.Failed...)
	r.failed = append(r.failed, classless...)
	if len(r.corpus.Docs) == before {
		if len(r.failed) > 0 {
			return r.failed
		}
		return fmt.Errorf("%s: no documents found", path)
	}
	return nil
}

// documentName is the name of the document at path, with slashes on every system.
func documentName(root, path string, full bool) string {
	if !full {
		if rel, err := filepath.Rel(root, path); err == nil {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

// arrange puts the documents of a stream into order, and says in which.
func (r *evalReading) arrange() (string, error) {
	f := r.flags
	switch {
	case !f.prequential:
		return "", nil
	case f.ordered:
		return "that of " + f.order, r.orderBy(f.order)
	case f.byDate:
		return r.orderByDate()
	case f.shuffled || r.folders:
		seed := f.seed
		if f.shuffled {
			seed = f.shuffle
		}
		r.corpus.Shuffle(seed)
		return fmt.Sprintf("that of a hash of %d and name", seed), nil
	}
	return "as they stand in the files", nil
}

// orderBy takes the documents that the file lists, in its order.
func (r *evalReading) orderBy(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, plainPathError(err))
	}
	at := make(map[string]int, len(r.corpus.Docs))
	for i := range r.corpus.Docs {
		at[r.corpus.Docs[i].Path] = i
	}
	var docs []evaluation.Doc
	taken := make(map[int]bool)
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		i, known := r.listed(at, path, line)
		switch {
		case !known:
			return fmt.Errorf("%s:%d: no document is called %.100s; a line is CLASS/NAME, as below %s", path, number, line, r.roots[0])
		case taken[i]:
			return fmt.Errorf("%s:%d: %.100s comes twice", path, number, line)
		}
		taken[i] = true
		docs = append(docs, r.corpus.Docs[i])
	}
	if len(docs) == 0 {
		return fmt.Errorf("%s: lists no documents", path)
	}
	if left := len(r.corpus.Docs) - len(docs); left > 0 {
		r.notes = append(r.notes, fmt.Sprintf("%s of the documents are not listed in %s and left out", terminal.Grouped(left), path))
	}
	r.corpus.Docs = docs
	return nil
}

// listed finds the document of a line: a name below the path, or, after a tab if
// there is one, a path from where the list lies.
func (r *evalReading) listed(at map[string]int, list, line string) (int, bool) {
	if _, path, ok := strings.Cut(line, "\t"); ok {
		line = path
	}
	names := []string{line}
	for _, root := range r.roots {
		if rel, err := filepath.Rel(root, filepath.Join(filepath.Dir(list), line)); err == nil {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	for _, name := range names {
		if i, known := at[name]; known {
			return i, true
		}
	}
	return 0, false
}

// orderByDate sorts by the dates that the sources gave.
func (r *evalReading) orderByDate() (string, error) {
	timeless := r.corpus.SortByTime()
	switch {
	case timeless == len(r.corpus.Docs):
		return "", errors.New("no document has a date; take --order or --shuffle instead of --by-date")
	case timeless > 0:
		r.notes = append(r.notes, fmt.Sprintf("%s of the documents have no date and come first", terminal.Grouped(timeless)))
	}
	return "by date", nil
}
