package main

import (
	"os"

	"golang.org/x/term"

	"github.com/polya-classifier/polya/classify/corpus"
)

// smallFile is the size of a file that is read without goroutines and without a
// progress bar: both would take longer to set up than they save.
const smallFile = 256 << 10

// isSmallFile says whether path is such a file.
func isSmallFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() < smallFile
}

// newBar returns a bar for the documents at paths, nil where nobody looks or
// there is nothing to wait for.
func (p *program) newBar(paths []string, o corpus.Options) *bar {
	if p.quiet || !isTerminal(p.stderr) {
		return nil
	}
	total := int64(0)
	for _, path := range paths {
		_, bytes, _ := corpus.Size(path, o)
		total += bytes
	}
	return p.newByteBar(total)
}

// newByteBar returns a bar for so many bytes, nil where nobody looks or there is
// nothing to wait for.
func (p *program) newByteBar(total int64) *bar {
	if !p.waits(total) {
		return nil
	}
	return p.startBar("", total, true)
}

// newWait returns a bar for work on a database of so many bytes of which nobody
// knows how far it is.
func (p *program) newWait(doing string, size int64) *bar {
	if !p.waits(size) {
		return nil
	}
	return p.startBar(doing, 0, false)
}

// waits says whether work on so many bytes is to be waited for by somebody who looks.
func (p *program) waits(bytes int64) bool {
	return !p.quiet && bytes >= 8*smallFile && isTerminal(p.stderr)
}

// startBar draws a bar on standard error, a terminal. One that does not know its
// width, such as one that another program records, is taken to have the usual one.
func (p *program) startBar(name string, total int64, bytes bool) *bar {
	b := &bar{out: p.stderr, width: 80, name: name, total: total, bytes: bytes}
	if f, ok := p.stderr.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			b.width = width
		}
	}
	return b.start()
}

// isTerminal says whether stream, one of the three standard ones, is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
