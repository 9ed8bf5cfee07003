package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/classify/corpus/internal/inflate"
)

// Walk calls fn for each document at path: a file, a folder (every file below it), an
// mbox, a Maildir, JSON lines, a table, or "-" for standard input, compressed by gzip or
// bzip2 or not; or, by its Path, one document of a file, as "data.csv:3": then errors of
// others are left out. The Document and its Content are valid only until fn returns.
//
// JSON lines on standard input are given to fn as they arrive; rows of a table, which may
// have up to MaxHeldTable bytes there, only after all of it was read.
func Walk(ctx context.Context, path string, o Options, fn func(*Document) error) error {
	w := newWalker(ctx, o, fn)
	return w.result(w.path(path))
}

// walker turns files into documents.
type walker struct {
	ctx       context.Context
	o         Options
	fn        func(*Document) error
	class     string                   // of the current file, by classOf
	classOf   func(path string) string // nil if folders are not classes
	root      *root                    // of the folder being walked, nil outside of one
	within    bool                     // a folder is walked
	mailboxes bool                     // isMailbox may report a file of the folder
	size      int64                    // of the current file, 0 if unknown
	only      string                   // the Path of the one document that is asked for, else empty
	given     int                      // documents given to fn
	failed    failures
	stopped   error // of fn, which ends the walk, unlike unreadable files
	reader    *bufio.Reader
	buffer    []byte // of the content

	// visit is called for each regular file of a folder; message says whether it is in a
	// Maildir. An error stops the walk.
	visit               func(path string, message bool) error
	classes             bool   // the folders of a Maildir, or mailboxes, are classes
	special             string // the class left out last
	left, links, linked int    // number of Maildirs not read, of links to files not followed, and to folders
}

// grownSize is the size of a file from which a buffer of its size is made at once.
const grownSize = 1 << 20

func newWalker(ctx context.Context, o Options, fn func(*Document) error) *walker {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	w := &walker{ctx: ctx, o: o, fn: fn, reader: bufio.NewReaderSize(nil, headSize)}
	w.visit = w.found
	return w
}

// result returns the error of Walk and Folders; err is what ended the walk.
func (w *walker) result(err error) error {
	_ = w.goOn(err)
	return cmp.Or(w.stopped, w.ctx.Err(), w.failed.join())
}

// path emits the documents at path, whatever it is.
func (w *walker) path(path string) error {
	given, failed := w.given, w.failed.count
	err := w.source(path)
	if err == nil && w.given == given && w.failed.count == failed {
		if w.only != "" {
			return fmt.Errorf("%s: no such document in that file; its number is that of a message, or of the line where it begins", path)
		}
		if w.classes {
			return fmt.Errorf("%s: no mail found; a folder with a name like NAME.mbox or NAME.sbd in it is a mailbox, and others are no classes beside it", path)
		}
		return fmt.Errorf("%s: no documents found: check the path and the format", path)
	}
	return err
}

func (w *walker) source(path string) error {
	if path == w.o.stdinPath() {
		return w.read(w.o.Stdin, path, w.o.Format)
	}
	info, err := os.Stat(path)
	if file, is := fileOf(path); is && errors.Is(err, fs.ErrNotExist) {
		w.only = path
		if err = w.file(file, w.o.Format); w.given > 0 {
			w.failed = failures{}
		}
		return err
	}
	switch {
	case err != nil:
		return readError(err)
	case !info.IsDir() && w.o.Format == Maildir:
		return fmt.Errorf("%s: not a folder: a Maildir is one, with cur/ and new/ in it", path)
	case !info.IsDir():
		return w.file(path, w.o.Format)
	}
	return w.folder(path)
}

// folder emits the documents of the files below dir.
func (w *walker) folder(dir string) error {
	if w.o.Format == Maildir && !isMaildir(dir) {
		return fmt.Errorf("%s: not a Maildir: it lacks cur/ or new/", dir)
	}
	opened, err := w.enter(dir)
	if err != nil {
		return err
	}
	defer opened()
	w.within = true
	return w.list(dir)
}

// found emits the documents of a file in a folder, which is perhaps a message of a Maildir.
func (w *walker) found(path string, message bool) error {
	if w.classOf != nil {
		w.class = w.classOf(path)
		if special := w.classes && IsSpecial(w.class); w.class == "" || special || excluded(w.o.Exclude, w.class) {
			if special && w.class != w.special {
				w.left, w.special = w.left+1, w.class
			}
			return nil
		}
	}
	format := w.o.Format
	if message {
		format = Mail
	}
	err := w.file(path, format)
	if message && errors.Is(err, fs.ErrNotExist) {
		if now, ok := renamed(path); ok {
			err = w.file(now, format)
		}
	}
	return w.goOn(err)
}

// goOn records err, and returns it only if it ends the walk.
func (w *walker) goOn(err error) error {
	if err == nil || w.stopped != nil || w.ctx.Err() != nil {
		return err
	}
	w.failed.add(err)
	return nil
}

func (w *walker) file(path string, format Format) error {
	f, err := w.root.open(path)
	if err != nil {
		return readError(err)
	}
	defer f.Close()
	return w.read(f, path, format)
}

// read emits the documents of a file or stream, which may be compressed.
func (w *walker) read(r io.Reader, path string, format Format) error {
	br := w.reader
	w.size = sizeOf(r)
	br.Reset(&contextReader{ctx: w.ctx, r: r, left: w.size})
	inflated, err := inflate.NewReader(br)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if inflated != nil {
		r, w.size, br = inflated, 0, bufio.NewReaderSize(inflated, headSize)
	}
	if (format == Auto || format == Mail) && strings.HasSuffix(bareName(path), ".emlx") {
		br, format = appleMessage(br, format)
	}
	if named := Named(path); format == Auto && (named == JSONL || named == CSV) {
		format = named // even if the first line is malformed
	}
	switch {
	case format == CSV:
		return w.readCSV(br, r, path)
	case format == Auto:
		return w.readFound(br, path)
	case format == Mbox:
		return w.readMbox(br, path)
	case format == JSONL:
		return w.readJSONL(br, path)
	case format == Lines:
		return w.readLabelled(br, path)
	case format.single():
		return w.readSingle(br, &Document{Path: path, Format: format})
	}
	return fmt.Errorf("%s: cannot be read as %v", path, format)
}

// readFound emits the documents of a file whose format is unknown.
func (w *walker) readFound(br *bufio.Reader, path string) error {
	head := w.o.peekHead(br)
	found := w.o.detect(head)
	several := w.o.Several || found == Mbox && ((!w.within || w.mailboxes) && isMailbox(path) || w.classes && filepath.Ext(path) == "") || found == JSONL && isJSON(path)
	d := &Document{Path: path, Format: found, Detected: true}
	switch {
	case found == Lines && several:
		return w.readLabelled(br, path)
	case found == Lines:
		d.Format = Text
	case found == JSONL && several:
		return w.readJSONL(br, path)
	case found == Mbox && several || Named(path) == Mbox && startsMbox(head):
		return w.readMbox(br, path)
	case found == JSONL:
		d.Format, d.Like = Text, JSONL
	case found == Mbox:
		d.Format = Mail
	case isUTF16(head):
		br = utf8Table(br)
		head, _ = br.Peek(headSize)
		d.Format = Detect(head)
	}
	return w.readSingle(br, d)
}

// appleMessage returns the message in a file of Apple Mail (.emlx), which is between a line with
// its length and a property list. A file without that line is as it is, of the given format.
func appleMessage(br *bufio.Reader, format Format) (*bufio.Reader, Format) {
	head, _ := br.Peek(24)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 10, 64)
	if err != nil || len(line) == len(head) {
		return br, format
	}
	_, _ = br.Discard(len(line) + 1) // was peeked
	return bufio.NewReader(io.LimitReader(br, n)), Mail
}

// readSingle emits the whole file as the document d, whose format is known.
// A From line before a message (delivery agents write one) is not part of it.
func (w *walker) readSingle(br *bufio.Reader, d *Document) error {
	fromLine := false
	if line, _ := br.Peek(len(fromPrefix)); d.Format == Mail && bytes.Equal(line, fromPrefix) {
		fromLine = true
		head, _ := br.Peek(headSize)
		end := bytes.IndexByte(head, '\n') + 1
		d.Time, _ = parseFromLine(head[:end])
		if _, err := br.Discard(end); err != nil {
			return err
		}
	}
	buffer := bytes.NewBuffer(w.buffer[:0])
	if w.size > grownSize {
		buffer.Grow(int(min(w.size, w.o.MaxBytes)) + bytes.MinRead) // in one step, without doubling
	}
	_, err := buffer.ReadFrom(io.LimitReader(br, w.o.MaxBytes))
	w.buffer = buffer.Bytes()
	if err != nil {
		if _, path := errors.AsType[*fs.PathError](err); path {
			return readError(err)
		}
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	d.Content = w.buffer
	_, err = br.Peek(1)
	d.Cut = err == nil
	if d.Detected && d.Format != Mail {
		d.Binary = notText(d.Content)
	}
	switch {
	case !d.Detected || d.Like == JSONL:
	case fromLine && hasMessages(d.Content):
		d.Like = Mbox
	case d.Format == Text && !w.within && d.Binary == "" && looksLines(d.Content):
		d.Like = Lines
	}
	return w.emit(d)
}

// emit passes a document to fn.
func (w *walker) emit(d *Document) error {
	if err := w.ctx.Err(); err != nil || w.only != "" && w.only != d.Path {
		return err
	}
	if w.class != "" {
		d.Class = w.class
	}
	w.given++
	w.stopped = w.fn(d)
	return w.stopped
}
