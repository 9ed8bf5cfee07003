package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/polya/internal/crash"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
	"github.com/polya-classifier/polya/tokenize"
	"github.com/polya-classifier/polya/tokenize/mail"
)

// document is one document on its way from a path to the classifier. It is used
// again for the next.
type document struct {
	path    string
	class   string // that the source gives, or ""
	givenID string
	format  corpus.Format
	content []byte
	given   []corpus.Attribute // by the source
	added   []corpus.Attribute // by --attr
	copy    int                // equal rows before it
	row     bool               // of a table
	empty   bool               // has neither text nor attributes
	binary  string             // what it is, if that surely is no text
	early   *earlyDocument     // as it was read before the database was opened, if it was

	id         count.DocID
	says       uint64 // a digest of all but the class, if the source gives an id
	bag        tokenize.Bag
	read       []tokenize.Attribute // from a message
	attributes []count.Attribute    // all of these, as they are counted
	answer     classify.Result
	defect     error // what is broken in it
	err        error

	crash *crash.Crash
	ready chan struct{} // gets a value when work is done
}

// set takes over what corpus says of c, but not its content.
func (d *document) set(c *corpus.Document) {
	d.path, d.class, d.givenID, d.format = c.Path, c.Class, c.ID, c.Format
	d.given, d.added, d.copy, d.row = c.Attributes, nil, c.Copy, c.Row
	d.empty, d.binary, d.early = c.IsEmpty(), c.Binary, nil
	d.attributes = d.attributes[:0]
	d.defect, d.err = nil, nil
}

// identify computes the document's id: of the id that a JSON line or a row gives,
// for mail of Message-ID and body, else of the content and of the attributes given
// by --attr; and of the attributes that the source gives and the number of equal rows
// before it.
func (d *document) identify() {
	covered := d.given
	switch {
	case d.givenID != "":
		d.id, d.says = classify.ContentID([]byte(d.givenID)), d.digest()
		return
	case d.format == corpus.Mail:
		d.id = mail.ID(d.content)
	default:
		d.id = classify.ContentID(d.content)
		covered = merge(d.given, d.added)
	}
	if len(covered) > 0 || d.copy > 0 {
		d.id = idWith(d.id, covered, d.copy)
	}
}

// count fills the bag, and reads the attributes of a message. What is broken in a
// message is no reason to refuse it: whatever could be read counts.
func (d *document) count(a *tokenize.Analyzer) {
	if t, ok := d.early.take(a); ok {
		d.bag, d.read, d.defect = t.bag, t.read, t.defect
		return
	}
	d.bag.Reset()
	d.read = nil
	switch d.format {
	case corpus.Mail:
		d.read, d.defect = mail.Read(a, &d.bag, d.content)
	case corpus.HTML:
		a.HTML(&d.bag, d.content)
	default:
		a.Text(&d.bag, "", d.content)
	}
	if d.defect == nil && d.bag.Cut() {
		d.defect = errCut
	}
}

// errCut is noted of a document of which the bag has not all words.
var errCut = fmt.Errorf("longer than %d KiB: only its beginning and its end are counted, and the term limit:text", tokenize.MaxText>>10)

// learnable is the document as it is trained, asked about or forgotten.
func (d *document) learnable(source string) classify.Document {
	return classify.Document{ID: d.id, Bag: &d.bag, Attributes: d.attributes, Source: source}
}

// reader reads the documents at paths, several at once.
type reader struct {
	*terminal.Streams
	options corpus.Options
	folders bool // each folder in a path is a class
	jobs    int
	bar     *terminal.Bar
	learns  bool    // nothing and noise are no documents
	early   earlier // read before the database was opened
	remarks *remarks
	unfit   troubles // documents that were named and are nothing to learn from
	paths   []string // that are read

	// attributes, if not nil, gives documents those of --attr and resolves all that
	// they have. A document whose attributes cannot be counted is not delivered.
	attributes *attributes
	refused    refusals

	database string // that is asked or learns, and is no document itself

	analyzer *tokenize.Analyzer
	sorts    bool // the terms of each document, as a database that learns wants them

	// work is done for each document, by several goroutines at once; nil is to identify
	// it and to count its terms.
	work func(*document)

	// deliver is given the documents in order. An error stops the reading.
	deliver func(*document) error

	// failed is what could not be read, complete when read returns nil.
	failed troubles
}

// read reads the documents at paths. It returns the error of deliver or of a
// context that has ended, and then at once; else r.failed is what could not be read.
func (r *reader) read(ctx context.Context, paths []string) (err error) {
	if r.jobs <= 0 {
		r.jobs = runtime.GOMAXPROCS(0)
	}
	if r.attributes != nil {
		r.options.Mixed, r.options.Use, r.options.Decided = r.attributes.mix, r.attributes.use, r.attributes.decided
	}
	if r.work == nil {
		r.work = r.prepare
	}
	r.paths, r.remarks, r.unfit = paths, new(remarks), nil
	r.options.Remark = r.remarks.add
	defer func() {
		if err == nil {
			r.failed = append(append(r.failed, r.refused.errors()...), r.unfit...)
			r.bar.Done()
			r.remarks.note(r.Streams)
		}
	}()
	waits := slices.Contains(paths, "-") && r.early["-"] == nil // where only another goroutine sees Ctrl-C
	if !waits && (r.jobs == 1 || len(paths) == 1 && r.isSmall(paths[0])) {
		return r.readAlone(ctx, paths)
	}
	return r.readTogether(ctx, paths)
}

// prepare identifies a document and counts its terms.
func (r *reader) prepare(d *document) {
	d.identify()
	d.count(r.analyzer)
	if r.sorts {
		d.bag.Sort() // here, where several goroutines share the work
	}
}

// finish prints the notes on attributes and returns what could not be read, nil if
// everything could.
func (r *reader) finish() error {
	if r.attributes != nil {
		r.attributes.note(r.Streams)
	}
	return r.failed.orNil()
}

// isSmall says whether path is one small document.
func (r *reader) isSmall(path string) bool {
	if e := r.early[path]; e != nil {
		return e.Found == nil || len(e.Found.Content) < smallFile
	}
	return isSmallFile(path)
}

// readAlone does all of it in this goroutine.
func (r *reader) readAlone(ctx context.Context, paths []string) error {
	d := new(document)
	return r.walk(ctx, paths, func(c *corpus.Document) error {
		r.set(d, c)
		d.content = c.Content
		r.work(d)
		return r.give(d)
	})
}

// readTogether has one goroutine read, as many as r.jobs work, and this one
// deliver. Each document goes to the workers and into a queue that keeps the
// order; there are only so many of them, so that memory is bounded.
func (r *reader) readTogether(ctx context.Context, paths []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := 8 * r.jobs
	free, todo, queue := make(chan *document, n), make(chan *document, n), make(chan *document, n)
	for range n {
		free <- &document{ready: make(chan struct{}, 1)}
	}
	var walked error
	go func() {
		defer close(queue)
		defer close(todo)
		walked = r.walk(ctx, paths, func(c *corpus.Document) error {
			select {
			case d := <-free:
				r.set(d, c)
				d.content = append(d.content[:0], c.Content...)
				queue <- d
				todo <- d
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for range r.jobs {
		go func() {
			for d := range todo {
				d.crash = crash.Catch(func() { r.work(d) })
				d.ready <- struct{}{}
			}
		}()
	}
	for {
		select {
		case d, more := <-queue:
			if !more {
				return walked
			}
			<-d.ready
			if d.crash != nil {
				panic(d.crash)
			}
			if err := r.give(d); err != nil {
				return err
			}
			if cap(d.content) > largeContent {
				d.content = nil
			}
			free <- d
		case <-ctx.Done():
			// Not after the walk has ended: it may wait for standard input.
			return ctx.Err()
		}
	}
}

// largeContent is the size of a document whose memory is not kept for the next.
const largeContent = 1 << 20

func (r *reader) set(d *document, c *corpus.Document) {
	d.set(c)
	if e := r.early[c.Path]; e != nil && e.Found == c {
		d.early = e
	}
	if r.attributes != nil {
		d.added = r.attributes.added
	}
	d.empty = d.empty && len(d.added) == 0
}

func (r *reader) give(d *document) error {
	r.bar.Add(d.size())
	if d.defect != nil && r.Verbose {
		r.Note(fmt.Errorf("%s: %w", d.path, d.defect))
	}
	if r.refuse(d) {
		return nil
	}
	if r.attributes != nil {
		r.attributes.meet(d)
		if err := r.attributes.resolve(d); err != nil {
			r.refused.add(d.path, advised(err, d))
			return nil
		}
	}
	return r.deliver(d)
}

// walk calls fn for each document at paths.
func (r *reader) walk(ctx context.Context, paths []string, fn func(*corpus.Document) error) error {
	for _, path := range paths {
		var stopped error
		once := func(c *corpus.Document) error {
			if filepath.Base(c.Path) == filepath.Base(r.database) && sameFile(c.Path, r.database) {
				return nil // the database itself lies in the folder
			}
			stopped = fn(c)
			return stopped
		}
		var err error
		if e := r.early[path]; e != nil {
			err = e.replay(&r.options, once)
		} else if r.folders {
			err = corpus.Folders(ctx, path, r.options, once)
		} else {
			err = corpus.Walk(ctx, path, r.options, once)
		}
		if stopped != nil || ctx.Err() != nil {
			return err
		}
		r.fail(err)
	}
	return nil
}

// fail keeps the errors that are joined in err.
func (r *reader) fail(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			r.failed = append(r.failed, withColumnFlag(err))
		}
	} else if err != nil {
		r.failed = append(r.failed, withColumnFlag(err))
	}
}

// messageID is the document's Message-ID, "" if it is no message or has none.
func (d *document) messageID() string {
	if d.format != corpus.Mail {
		return ""
	}
	return mail.MessageID(d.content)
}
