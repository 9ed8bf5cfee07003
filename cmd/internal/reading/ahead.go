// Package reading turns paths into documents: their text, their attributes and their ids,
// and remarks on how they were read.
package reading

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"slices"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// ReadAhead reads standard input or a pipe among paths into memory, from where o has it, if it is
// one document: it may arrive slowly, and a database locked only afterwards does not make others
// wait for somebody who types. For standard input of several documents it waits until they begin.
// It reports whether it has read a message, which stays one whatever the database's setting of the
// format is.
func ReadAhead(paths []string, o *corpus.Options) (message bool) {
	path := "-"
	if !slices.Contains(paths, path) {
		i := slices.IndexFunc(paths, isPipe)
		if i < 0 || !corpus.Single(paths[i], *o) {
			return false
		}
		path = paths[i]
		pipe, err := os.Open(path)
		if err != nil {
			return false // the walk has the error
		}
		o.Stdin, o.StdinPath = pipe, path
	}
	if !corpus.Single(path, *o) {
		if f, ok := o.Stdin.(*os.File); !ok || !isRegular(f) { // a table in a file is read twice
			in := bufio.NewReader(o.Stdin)
			_, _ = in.Peek(1) // the error comes again on the next read
			o.Stdin = in
		}
		return false
	}
	content, err := io.ReadAll(io.LimitReader(o.Stdin, corpus.DefaultMaxBytes+1))
	if err != nil || len(content) > corpus.DefaultMaxBytes {
		o.Stdin = io.MultiReader(bytes.NewReader(content), o.Stdin)
	} else {
		o.Stdin = bytes.NewReader(content)
	}
	return corpus.IsMessage(content)
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// isPipe reports whether path is a pipe or a device, which may take any time.
func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// SmallFile is the size of a file that is read without goroutines and without a
// progress bar: both would take longer to set up than they save.
const SmallFile = 256 << 10

// IsSmallFile reports whether path is a file of at most SmallFile bytes.
func IsSmallFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() < SmallFile
}

// NewBar returns a bar for the documents at paths, nil without a terminal and for less than SmallFile.
func NewBar(to *terminal.Streams, paths []string, o corpus.Options) *terminal.Bar {
	if to.Quiet || !terminal.IsTerminal(to.Stderr) {
		return nil
	}
	total := int64(0)
	for _, path := range paths {
		total += corpus.Size(path, o)
	}
	if total < SmallFile {
		return nil
	}
	return to.StartBar("", total)
}

// SameFile reports whether two paths name one file.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// InputName returns the name of an input in messages: its path, or "standard input".
func InputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
