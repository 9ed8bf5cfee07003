// Package reading turns paths into documents before there is a database to ask.
package reading

import (
	"bufio"
	"context"
	"os"

	"github.com/polya-classifier/polya/classify/corpus"
)

// Early is what a path that is one document holds.
type Early struct {
	// Found is the document, whose content is its own. It is nil if there is none.
	Found *corpus.Document

	// Remarks are what is to be said about the reading.
	Remarks []corpus.Remark

	// Err is why there is none.
	Err error
}

// Ahead reads those of paths that are one document and may take any time to come, or
// that are the only path: standard input, pipes, a single file. Whoever locks a database
// only then keeps nobody waiting for somebody who types. It returns the documents by
// their paths.
//
// Of standard input that may hold several documents it waits for the first byte, and
// changes o so that the rest is read from there. The error is that of a context that
// has ended.
func Ahead(ctx context.Context, paths []string, o *corpus.Options) (map[string]*Early, error) {
	ahead := map[string]*Early{}
	for _, path := range paths {
		slow := path == "-" || isSlow(path)
		switch {
		case ahead[path] != nil:
		case !corpus.Single(path, *o):
			if path == "-" {
				if err := waitForInput(ctx, o); err != nil {
					return nil, err
				}
			}
		case slow:
			d, err := within(ctx, func() *Early { return read(ctx, path, *o) })
			if err != nil {
				return nil, err
			}
			ahead[path] = d
		case len(paths) == 1:
			ahead[path] = read(ctx, path, *o)
		}
	}
	return ahead, ctx.Err()
}

// isSlow says whether path is a pipe or a device, which may take any time.
func isSlow(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// read reads the document at path.
func read(ctx context.Context, path string, o corpus.Options) *Early {
	d := new(Early)
	o.Remark = func(r corpus.Remark) { d.Remarks = append(d.Remarks, r) }
	d.Found, d.Err = corpus.Read(ctx, path, o)
	return d
}

// waitForInput returns when there is something on standard input, or its end.
func waitForInput(ctx context.Context, o *corpus.Options) error {
	if f, ok := o.Stdin.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return nil // and a table wants to read it twice
		}
	}
	in := bufio.NewReader(o.Stdin)
	o.Stdin = in
	_, err := within(ctx, func() error {
		_, _ = in.Peek(1) // an error comes again
		return nil
	})
	return err
}

// within returns what f returns, or the error of a context that ends before: a read
// from a terminal or a pipe cannot be ended.
func within[T any](ctx context.Context, f func() T) (T, error) {
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
