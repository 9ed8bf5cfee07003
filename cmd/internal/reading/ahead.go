// Package reading turns paths into documents: their text, their attributes and their ids,
// and remarks on how they were read.
package reading

import (
	"bufio"
	"bytes"
	"context"
	"os"

	"github.com/polya-classifier/polya/classify/corpus"
)

// Ahead holds the documents that were read before the database was opened, by path.
type Ahead map[string]*early

// early is the document of a path that is one document.
type early struct {
	found   *corpus.Document // with its own copy of the content, nil if there is none
	remarks []corpus.Remark  // on the reading
	err     error            // why there is no document
}

// ReadAhead reads the paths that are one document and may arrive slowly: standard input, pipes. A
// database locked only afterwards does not make others wait for somebody who types.
//
// If standard input may hold several documents it waits only for the first byte, and
// changes o to read the buffered input. The error is that of a context that has ended.
func ReadAhead(ctx context.Context, paths []string, o *corpus.Options) (Ahead, error) {
	ahead := Ahead{}
	for _, path := range paths {
		var err error
		switch single := corpus.Single(path, *o); {
		case ahead[path] != nil || !isSlow(path):
		case single:
			ahead[path], err = within(ctx, func() *early { return read(ctx, path, *o) })
		case path == "-":
			err = waitForInput(ctx, o)
		}
		if err != nil {
			return nil, err
		}
	}
	return ahead, ctx.Err()
}

// Again prepares to read what was read ahead once more, since the database has settings for o
// that were not known then. A message that came through a pipe stays one.
func (a Ahead) Again(o *corpus.Options) {
	for path, e := range a {
		if len(a) == 1 && e.found != nil && e.found.Format != corpus.Mail {
			o.Stdin, o.StdinPath = bytes.NewReader(e.found.Content), path
			delete(a, path)
		}
	}
}

// replay does what corpus.Walk would do for the path.
func (e *early) replay(o *corpus.Options, fn func(*corpus.Document) error) error {
	for _, r := range e.remarks {
		if o.Remark != nil {
			o.Remark(r)
		}
	}
	if e.found == nil {
		return e.err
	}
	return fn(e.found)
}

// isSlow reports whether path is standard input, a pipe or a device, which may take any time.
func isSlow(path string) bool {
	if path == "-" {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

func read(ctx context.Context, path string, o corpus.Options) *early {
	d := new(early)
	o.Remark = func(r corpus.Remark) { d.remarks = append(d.remarks, r) }
	d.found, d.err = corpus.Read(ctx, path, o)
	return d
}

// waitForInput waits until standard input has data or ends.
func waitForInput(ctx context.Context, o *corpus.Options) error {
	if f, ok := o.Stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return nil // and a table is read twice
		}
	}
	in := bufio.NewReader(o.Stdin)
	o.Stdin = in
	_, err := within(ctx, func() error {
		_, _ = in.Peek(1) // the error comes again on the next read
		return nil
	})
	return err
}

// within returns the result of f, or the error of a context that ends before: a read from
// a terminal or a pipe cannot be interrupted.
func within[T any](ctx context.Context, f func() T) (T, error) {
	if ctx.Done() == nil {
		return f(), nil // a signal ends the process
	}
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case v := <-done:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
