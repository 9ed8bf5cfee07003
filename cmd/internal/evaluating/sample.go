package evaluating

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// The orders of Sampling.Order that are no files.
const (
	ByDate = "date"
	ByHash = "hash"
)

// Sampling says where the documents to evaluate on are, and their order.
type Sampling struct {
	Train, Test []string // paths
	Walk        corpus.Options
	Labelled    bool // each document states its class
	Tags        bool // a class is a list of tags
	Jobs        int

	Prequential bool   // the order matters
	Order       string // ByDate, ByHash, or a file that lists the documents; "" is by a hash in folders
	Seed        uint64 // of the hash
}

// Sample holds the documents to evaluate on.
type Sample struct {
	*terminal.Streams
	Sampling
	Analyzer   *tokenize.Analyzer
	Attributes *reading.Attributes

	Corpus evaluation.Corpus
	Notes  []string
	Failed reading.Troubles // what could not be read

	roots       []string // paths that names of documents are relative to
	fromFolders bool     // some documents come from folders
	repeats     reading.Repeats
}

// Read reads all paths. Unreadable documents do not stop it, unless a whole path has no
// documents.
func (r *Sample) Read(ctx context.Context, args []string) error {
	b := reading.NewBar(r.Streams, slices.Concat(r.Train, r.Test, args), r.Walk)
	defer b.Done()
	for i, set := range [][]string{r.Train, r.Test, args} {
		for _, path := range set {
			if err := r.readPath(ctx, b, path, i == 1, len(set) > 1); err != nil {
				return err
			}
		}
	}
	r.Corpus.Sort()
	r.Notes = append(r.Notes, r.Attributes.Notes()...)
	if note := r.repeats.Note(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	return nil
}

// readPath reads one path. Documents are named by their paths below it or, if there are
// several paths, by their full paths.
func (r *Sample) readPath(ctx context.Context, b *terminal.Bar, path string, test, full bool) error {
	root := path
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		root = filepath.Dir(path)
	}
	folders := err == nil && info.IsDir() && !r.Labelled
	r.fromFolders = r.fromFolders || folders
	r.roots = append(r.roots, root)
	walk := r.Walk
	walk.Stdin, walk.Several = r.Stdin, !folders
	switch {
	case !folders && walk.NoClasses:
		return errors.New("--class-column '' reads no classes, and eval needs one for each document")
	case !folders && walk.ClassColumn == "":
		walk.ClassColumn = "class" // a table must have it then
	}
	before := len(r.Corpus.Docs)
	var classless reading.Troubles
	rd := reading.Reader{
		Streams:    r.Streams,
		Options:    walk,
		Attributes: r.Attributes,
		Folders:    folders,
		Jobs:       r.Jobs,
		Bar:        b,
		Learns:     true,
		Analyzer:   r.Analyzer,
		Sorts:      true,
		Deliver: func(d *reading.Document) error {
			if r.Tags {
				if set, err := count.ParseTagSet(d.Class); err != nil {
					classless = append(classless, fmt.Errorf("%s: %w", d.Path, err))
					return nil
				} else {
					d.Class = set
				}
			}
			if d.Class == "" {
				classless = append(classless, fmt.Errorf("%s: says no class; give a folder of folders, or JSON lines or a table with \"class\"", d.Path))
				return nil
			}
			r.repeats.Add(d, d.Class)
			doc := evaluation.Doc{Path: documentName(root, d.Path, full), ID: d.ID, Test: test}
			if r.Order == ByDate {
				doc.Time = d.Date()
			}
			r.Corpus.Add(doc, d.Class, &d.Bag, d.Attributes)
			return nil
		},
	}
	if err := rd.Read(ctx, []string{path}); err != nil {
		return err
	}
	r.Failed = append(r.Failed, rd.Failed...)
	r.Failed = append(r.Failed, classless...)
	if len(r.Corpus.Docs) == before {
		if len(r.Failed) > 0 {
			return r.Failed
		}
		return fmt.Errorf("%s: no documents found", path)
	}
	return nil
}

// documentName returns the name of the document at path, with slashes on every system.
func documentName(root, path string, full bool) string {
	if !full {
		if rel, err := filepath.Rel(root, path); err == nil {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

// Arrange sorts the documents of a stream, and describes the order.
func (r *Sample) Arrange() (string, error) {
	switch {
	case !r.Prequential:
		return "", nil
	case r.Order == ByDate:
		return r.orderByDate()
	case r.Order == ByHash || r.Order == "" && r.fromFolders:
		r.Corpus.Shuffle(r.Seed)
		return fmt.Sprintf("that of a hash of %d and name", r.Seed), nil
	case r.Order == "":
		return "as they stand in the files", nil
	}
	return "that of " + r.Order, r.orderBy(r.Order)
}

// orderBy takes the documents that the file lists, in its order.
func (r *Sample) orderBy(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, outfile.PlainError(err))
	}
	at := make(map[string]int, len(r.Corpus.Docs))
	for i := range r.Corpus.Docs {
		at[r.Corpus.Docs[i].Path] = i
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
		docs = append(docs, r.Corpus.Docs[i])
	}
	if len(docs) == 0 {
		return fmt.Errorf("%s: lists no documents", path)
	}
	if left := len(r.Corpus.Docs) - len(docs); left > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s of the documents are not listed in %s and left out", terminal.Grouped(left), path))
	}
	r.Corpus.Docs = docs
	return nil
}

// listed finds the document of a line: a name below the path or, after a tab if there is
// one, a path relative to the list.
func (r *Sample) listed(at map[string]int, list, line string) (int, bool) {
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

// orderByDate sorts by the dates from the sources.
func (r *Sample) orderByDate() (string, error) {
	timeless := r.Corpus.SortByTime()
	switch {
	case timeless == len(r.Corpus.Docs):
		return "", errors.New("no document has a date; --order hash is another order")
	case timeless > 0:
		r.Notes = append(r.Notes, fmt.Sprintf("%s of the documents have no date and come first", terminal.Grouped(timeless)))
	}
	return "by date", nil
}
