package corpus

import (
	"os"

	"github.com/polya-classifier/polya/classify/corpus/message"
)

// namedFormat returns the format by the name of a file, compressed or not: Mbox, JSONL,
// CSV, or else Auto.
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

// Single reports whether a walk of path yields at most one document, judging without
// reading it: path is standard input or not a folder, and neither the options nor its
// name make it an mbox, JSON lines or a table.
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
	return err == nil && !info.IsDir() && message.Others(path) == "" && !message.IsMailbox(path)
}
