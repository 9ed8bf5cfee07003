package reading

import (
	"os"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// SmallFile is the size of a file that is read without goroutines and without a
// progress bar: both would take longer to set up than they save.
const SmallFile = 256 << 10

// IsSmallFile reports whether path is a file of at most SmallFile bytes.
func IsSmallFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() < SmallFile
}

// NewBar returns a bar for the documents at paths, nil without a terminal or for little
// work.
func NewBar(to *terminal.Streams, paths []string, o corpus.Options) *terminal.Bar {
	if to.Quiet || !terminal.IsTerminal(to.Stderr) {
		return nil
	}
	total := int64(0)
	for _, path := range paths {
		total += corpus.Size(path, o)
	}
	return to.NewByteBar(total)
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
