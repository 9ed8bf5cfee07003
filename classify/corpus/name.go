package corpus

import (
	"os"

	"github.com/polya-classifier/polya/classify/corpus/message"
)

// namedFormat is the format that the name of a file tells, compressed or not: Mbox,
// JSONL, CSV, or Auto if it tells none.
func namedFormat(path string) Format {
	switch message.Others(path) {
	case "mbox":
		return Mbox
	case "jsonl":
		return JSONL
	case "csv":
		return CSV
	}
	return Auto
}

// Single reports whether a walk of path gives at most one document, as far as that can be
// told without reading it: path is standard input or no folder, and neither the options
// nor its name make it an mbox, JSON lines or a table.
func Single(path string, o Options) bool {
	switch {
	case o.Several || o.Format != Auto && !o.Format.single():
		return false
	case path == o.stdinPath():
		return o.Format != Auto || namedFormat(path) == Auto
	case o.Format != Auto:
		info, err := os.Stat(path)
		return err == nil && !info.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && namedFormat(path) == Auto && !message.IsMailbox(path)
}
