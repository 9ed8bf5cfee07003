package corpus

import (
	"os"
	"path/filepath"
	"strings"
)

// namedFormat is the format that the name of a file tells, compressed or not: Mbox,
// JSONL, CSV, or Auto if it tells none.
func namedFormat(path string) Format {
	name := strings.ToLower(filepath.Base(path))
	for _, ext := range []string{".gz", ".bz2", ".xz"} {
		name = strings.TrimSuffix(name, ext)
	}
	switch filepath.Ext(name) {
	case ".mbox", ".mbx", ".mboxrd", ".mboxo", ".mboxcl", ".mboxcl2":
		return Mbox
	case ".jsonl", ".ndjson":
		return JSONL
	case ".csv", ".tsv":
		return CSV
	}
	if name == "mbox" {
		return Mbox
	}
	return Auto
}

// isMailbox reports whether the place of a file without a telling name is one where
// programs keep an mbox: the spool of the system, or beside an index of Thunderbird.
func isMailbox(path string) bool {
	full, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	switch filepath.ToSlash(filepath.Dir(full)) {
	case "/var/mail", "/var/spool/mail":
		return true
	}
	_, err = os.Lstat(full + ".msf")
	return err == nil
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
	return err == nil && !info.IsDir() && namedFormat(path) == Auto && !isMailbox(path)
}
