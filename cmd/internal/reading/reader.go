package reading

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/tokenize"
)

// Reader reads the documents at paths, several at once.
type Reader struct {
	*terminal.Streams
	Options corpus.Options
	Folders bool // each folder in a path is a class
	Message bool // standard input is a message, whatever Options.Format is
	Bar     *terminal.Bar
	Learns  bool // empty and binary files are not documents
	remarks *remarks
	unfit   Troubles // documents that are not delivered; what walks refuse is in Failed meanwhile
	more    int      // beyond maxRefused
	paths   []string // that are read

	// Attributes gives documents the attributes of --attr and resolves all that they have. Documents whose attributes cannot be counted are not delivered.
	Attributes *Attributes

	Database string // the database in use, which is not a document itself

	Analyzer *tokenize.Analyzer
	Sorts    bool // sort the terms of each document, for learning

	// Work is called for each document, by several goroutines at once; nil identifies it and
	// counts its terms.
	Work func(*Document)

	// Deliver is given the documents in order. An error stops the reading.
	Deliver func(*Document) error

	// Failed lists the paths that could not be read; it is complete when Read returns nil.
	Failed Troubles
}

// Read reads the documents at paths. It returns the error of Deliver or of a context that
// has ended, then at once; else r.Failed lists what could not be read.
func (r *Reader) Read(ctx context.Context, paths []string) (err error) {
	r.Options.Use, r.Options.Decided = r.Attributes.use, r.Attributes.decided
	if r.Work == nil {
		r.Work = r.prepare
	}
	r.paths, r.remarks, r.unfit, r.more = paths, new(remarks), nil, 0
	r.Options.Remark = r.remarks.add
	defer func() {
		if err == nil {
			if r.Failed = append(r.Failed, r.unfit...); r.more > 0 {
				r.Failed = append(r.Failed, fmt.Errorf("and %d more documents with attributes that cannot be counted", r.more))
			}
			r.Bar.Done()
			r.remarks.note(r.Streams)
		}
	}()
	_, ahead := r.Options.Stdin.(*bytes.Reader)
	waits := !ahead && slices.Contains(paths, "-") // reading blocks, so another goroutine has to see Ctrl-C
	jobs := runtime.GOMAXPROCS(0)
	if !waits && (jobs == 1 || len(paths) == 1 && r.isSmall(paths[0])) {
		return r.readAlone(ctx, paths)
	}
	return r.readTogether(ctx, paths, jobs)
}

func (r *Reader) prepare(d *Document) {
	d.Count(r.Analyzer, true)
	if r.Sorts {
		d.Bag.Sort() // here, since several goroutines share the work
	}
}

// Finish prints the notes on attributes and returns what could not be read, nil if
// everything could.
func (r *Reader) Finish() error {
	r.Attributes.Note(r.Streams)
	return r.Failed.OrNil()
}

func (r *Reader) isSmall(path string) bool {
	if ahead, is := r.Options.Stdin.(*bytes.Reader); is {
		return ahead.Len() < SmallFile
	}
	return IsSmallFile(path)
}

// readAlone reads, works and delivers in this goroutine.
func (r *Reader) readAlone(ctx context.Context, paths []string) error {
	d := new(Document)
	return r.walk(ctx, paths, func(c *corpus.Document) error {
		r.set(d, c)
		r.Work(d)
		return r.give(d)
	})
}

// readTogether has one goroutine read, as many as jobs work, and this one deliver. Each
// document goes to the workers and into a queue that keeps the order; the number of
// documents, and so memory, is bounded. With more of them, less stays in the caches of a
// processor, and classifying mail takes more CPU time: by 3 % with twice as many.
func (r *Reader) readTogether(ctx context.Context, paths []string, jobs int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := 4 * jobs
	free, todo, queue := make(chan *Document, n), make(chan *Document, n), make(chan *Document, n)
	for range n {
		free <- &Document{ready: make(chan struct{}, 1)}
	}
	var walked error
	pass := func(c *corpus.Document) error {
		select {
		case d := <-free:
			own := d.Content[:0]
			r.set(d, c)
			d.Content = append(own, c.Content...)
			queue <- d
			todo <- d
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() {
		walked = r.walk(ctx, paths, pass)
		close(todo)
		close(queue)
	}()
	for range jobs {
		go func() {
			for d := range todo {
				d.crash = Catch(func() { r.Work(d) })
				d.ready <- struct{}{}
			}
		}()
	}
	if err := r.giveInOrder(ctx, queue, free); err != nil {
		return err
	}
	return walked
}

// giveInOrder delivers the documents of queue in order, each once its worker is ready, and returns
// them to free. It does not wait for the walk when ctx ends: that may wait for standard input.
func (r *Reader) giveInOrder(ctx context.Context, queue <-chan *Document, free chan<- *Document) error {
	for {
		select {
		case d, more := <-queue:
			if !more {
				return nil
			}
			<-d.ready
			if d.crash != nil {
				panic(d.crash)
			}
			if err := r.give(d); err != nil {
				return err
			}
			if cap(d.Content) > largeContent {
				d.Content = nil
			}
			free <- d
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// largeContent is the size above which a document's memory is not reused.
const largeContent = 1 << 20

func (r *Reader) set(d *Document, c *corpus.Document) {
	d.Document, d.added = *c, r.Attributes.added
	d.empty = c.IsEmpty() && len(d.added) == 0
	d.Attributes, d.Err, d.MessageID = d.Attributes[:0], nil, ""
}

func (r *Reader) give(d *Document) error {
	r.Bar.Add(d.size())
	if r.refuse(d) {
		return nil
	}
	err := r.Attributes.Resolve(d)
	switch {
	case err == nil:
		return r.Deliver(d)
	case len(r.unfit) < maxRefused:
		r.unfit = append(r.unfit, fmt.Errorf("%s: %w", d.Path, err))
	default:
		r.more++
	}
	return nil
}

// maxRefused is how many errors about attributes are kept: a table may have one in each row.
const maxRefused = 100

func (r *Reader) walk(ctx context.Context, paths []string, fn func(*corpus.Document) error) error {
	for _, path := range paths {
		var stopped error
		options := r.Options
		if r.Message && path == cmp.Or(options.StdinPath, "-") {
			options.Format = corpus.Auto
		}
		once := func(c *corpus.Document) error {
			if filepath.Base(c.Path) == filepath.Base(r.Database) && SameFile(c.Path, r.Database) {
				if c.Path == path { // or it is in the folder
					r.Failed = append(r.Failed, fmt.Errorf("%s: the database itself, and no document", path))
				}
				return nil
			}
			stopped = fn(c)
			return stopped
		}
		read := corpus.Walk
		if r.Folders {
			read = corpus.Folders
		}
		err := read(ctx, path, options, once)
		if stopped != nil || ctx.Err() != nil {
			return err
		}
		r.fail(err)
	}
	return nil
}

// fail records the errors that are joined in err.
func (r *Reader) fail(err error) {
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs = joined.Unwrap()
	}
	for _, err := range errs {
		if err != nil {
			r.Failed = append(r.Failed, withColumnFlag(err))
		}
	}
}

// refuse reports whether the document has nothing to learn. If it was named that is an
// error; if it was found in a folder it is skipped with a note.
func (r *Reader) refuse(d *Document) bool {
	named := slices.Contains(r.paths, d.Path)
	if r.Learns && named && d.Path != "-" && (d.Like == corpus.Mbox || d.Like == corpus.JSONL) {
		r.unfit = append(r.unfit, fmt.Errorf("%s: not learned %s", d.Path, looksLike(d)))
		return true
	}
	r.remarks.meet(d, r.Learns)
	switch {
	case !r.Learns || !d.empty && d.Binary == "":
		return false
	case d.empty && named:
		r.unfit = append(r.unfit, fmt.Errorf("%s: empty, and nothing to learn from", InputName(d.Path)))
	case d.empty:
		r.remarks.empty.add(d.Path)
	case named:
		r.unfit = append(r.unfit, fmt.Errorf("%s: %s, and nothing to learn from; unpack or convert it (--format text reads it as it is)", InputName(d.Path), d.Binary))
	default:
		r.remarks.binary.add(d.Path + ", " + d.Binary)
	}
	return true
}

func withColumnFlag(err error) error {
	if missing, ok := errors.AsType[*corpus.NoColumnError](err); ok {
		return fmt.Errorf("%w; --%s-column COLUMN names it", err, missing.For)
	}
	return err
}
