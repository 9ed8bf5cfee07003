package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/outfile"
	"github.com/polya-classifier/polya/cmd/internal/reading"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
)

// The orders of Evaluation.Order that are no files.
const (
	byDate = "date"
	byHash = "hash"
)

// sample reads the documents to evaluate on.
type sample struct {
	*Evaluation
	analyzer *tokenize.Analyzer

	corpus Corpus
	notes  []string
	failed reading.Troubles // what could not be read

	root        string // that names of documents are relative to, of the first path
	fromFolders bool   // some documents come from folders
	repeats     reading.Repeats
}

// read reads all paths. Unreadable documents do not stop it, unless a whole path has no
// documents.
func (r *sample) read(ctx context.Context, args []string) error {
	b := reading.NewBar(r.Streams, slices.Concat(r.Train, r.Test, args), r.Walk)
	defer b.Done()
	for i, set := range [][]string{r.Train, r.Test, args} {
		for _, path := range set {
			if err := r.readPath(ctx, b, path, i == 1, len(set) > 1); err != nil {
				return err
			}
		}
	}
	r.corpus.Sort()
	r.notes = append(r.notes, r.Attributes.Notes()...)
	if note := r.repeats.Note(); note != "" {
		r.notes = append(r.notes, note)
	}
	return nil
}

// readPath reads one path. Documents are named by their paths below it or, if there are
// several paths, by their full paths.
func (r *sample) readPath(ctx context.Context, b *terminal.Bar, path string, test, full bool) error {
	root := path
	info, err := os.Stat(path)
	folders := err == nil && info.IsDir()
	if err == nil && !folders {
		root = filepath.Dir(path)
	}
	r.fromFolders = r.fromFolders || folders
	r.root = cmp.Or(r.root, root)
	walk := r.Walk
	walk.Stdin, walk.Several = r.Stdin, !folders
	switch {
	case !folders && walk.NoClasses:
		return errors.New("--class-column '' reads no classes, and eval needs one for each document")
	case !folders && walk.ClassColumn == "":
		walk.ClassColumn = "class" // a table must have it then
	}
	before := len(r.corpus.Docs)
	rd := reading.Reader{
		Streams: r.Streams, Options: walk, Attributes: r.Attributes, Folders: folders, Bar: b, Learns: true, Analyzer: r.analyzer, Sorts: true,
	}
	rd.Deliver = func(d *reading.Document) error {
		if err := r.add(d, Doc{Path: documentName(root, d.Path, full), ID: d.ID, Test: test}); err != nil {
			r.failed = append(r.failed, fmt.Errorf("%s: %w", d.Path, err))
		}
		return nil
	}
	if err := rd.Read(ctx, []string{path}); err != nil {
		return err
	}
	r.failed = append(r.failed, rd.Failed...)
	if len(r.corpus.Docs) == before {
		return cmp.Or(r.failed.OrNil(), fmt.Errorf("%s: no documents found", path))
	}
	return nil
}

func (r *sample) add(d *reading.Document, doc Doc) (err error) {
	if r.Tags {
		d.Class, err = count.ParseTagSet(d.Class)
	}
	if err == nil && d.Class == "" {
		err = errors.New("says no class; give a folder of folders, or JSON lines or a table with \"class\"")
	}
	if err != nil {
		return err
	}
	r.repeats.Add(d, d.Class)
	if r.Order == byDate {
		doc.Time = d.Date()
	}
	r.corpus.Add(doc, d.Class, &d.Bag, d.Attributes)
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

// arrange sorts the documents of a stream, and describes the order.
func (r *sample) arrange() (string, error) {
	switch {
	case !r.Prequential:
		return "", nil
	case r.Order == byDate:
		return r.inTime()
	case r.Order == byHash || r.Order == "" && r.fromFolders:
		r.corpus.shuffle(r.Seed)
		return fmt.Sprintf("that of a hash of %d and name", r.Seed), nil
	case r.Order == "":
		return "as they stand in the files", nil
	}
	return "that of " + r.Order, r.orderBy(r.Order)
}

// orderBy takes the documents that the file lists, in its order.
func (r *sample) orderBy(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, outfile.PlainError(err))
	}
	at := make(map[string]int, len(r.corpus.Docs))
	for i := range r.corpus.Docs {
		at[r.corpus.Docs[i].Path] = i
	}
	var docs []Doc
	number, taken := 0, -1
	for line := range strings.Lines(string(content)) {
		number++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		switch i, known := at[line]; {
		case !known:
			return fmt.Errorf("%s:%d: no document is called %.100s; a line is CLASS/NAME, as below %s", path, number, line, r.root)
		case i == taken:
			return fmt.Errorf("%s:%d: %.100s comes twice", path, number, line)
		default:
			at[line] = taken
			docs = append(docs, r.corpus.Docs[i])
		}
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

// inTime sorts by the dates from the sources; documents without one come first.
func (r *sample) inTime() (string, error) {
	docs, timeless := r.corpus.Docs, 0
	slices.SortStableFunc(docs, func(a, b Doc) int { return a.Time.Compare(b.Time) })
	for timeless < len(docs) && docs[timeless].Time.IsZero() {
		timeless++
	}
	switch {
	case timeless == len(docs):
		return "", errors.New("no document has a date; --order hash is another order")
	case timeless > 0:
		r.notes = append(r.notes, fmt.Sprintf("%s of the documents have no date and come first", terminal.Grouped(timeless)))
	}
	return "by date", nil
}
