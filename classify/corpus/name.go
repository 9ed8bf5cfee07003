package corpus

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Named returns the format of a file of several documents, compressed or not, by its name:
// Mbox, JSONL, CSV, or else Auto.
func Named(path string) Format {
	name := bareName(path)
	switch ext := filepath.Ext(name); {
	case name == "mbox" || slices.Contains(mailboxSuffixes, ext):
		return Mbox
	case ext == ".jsonl" || ext == ".ndjson":
		return JSONL
	case ext == ".csv" || ext == ".tsv":
		return CSV
	}
	return Auto
}

var mailboxSuffixes = []string{".mbox", ".mbx", ".mboxrd", ".mboxo", ".mboxcl", ".mboxcl2"}

// MailboxName returns the name of a mailbox whose file or folder has this name: Work for
// Work.mbox.gz, and for Work.sbd, in which Thunderbird keeps the mailboxes inside it.
func MailboxName(file string) string {
	for _, suffix := range slices.Concat([]string{".gz", ".bz2", ".eml", ".sbd"}, mailboxSuffixes) {
		if at := len(file) - len(suffix); at > 0 && strings.EqualFold(file[at:], suffix) {
			file = file[:at]
		}
	}
	return file
}

// bareName returns the name of a file in lower case, without the suffix of a compressed one.
func bareName(path string) string {
	name := strings.ToLower(filepath.Base(path))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".bz2")
}

// isJSON reports whether a file may be an array of documents by its name.
func isJSON(path string) bool { return filepath.Ext(bareName(path)) == ".json" }

// Single reports whether a walk of path yields at most one document, judging without
// reading it: path is standard input or not a folder, and neither the options nor its
// name make it an mbox, JSON lines or a table.
func Single(path string, o Options) bool {
	switch {
	case o.Several || o.Format != Auto && !o.Format.single():
		return false
	case path == o.stdinPath():
		return o.Format != Auto || Named(path) == Auto
	}
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && (o.Format != Auto || Named(path) == Auto && !isJSON(path) && !isMailbox(path))
}

// isMailbox reports whether a file whose name does not tell its format is in a place where
// programs keep an mbox: the spool of the system, or beside an index of Thunderbird.
func isMailbox(path string) bool {
	_, err := os.Lstat(path + mailboxIndex)
	return err == nil || isSpool(filepath.Dir(path))
}

// begins reports whether a file begins as an mbox does.
func (w *walker) begins(path string) bool {
	f, err := w.root.open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(fromPrefix))
	_, _ = io.ReadFull(f, head)
	return bytes.Equal(head, fromPrefix)
}

// mailboxIndex is the suffix of Thunderbird's index of a mailbox.
const mailboxIndex = ".msf"

// isSpool reports whether a folder is the spool of the system, in which each file is a mailbox.
func isSpool(dir string) bool {
	full, _ := filepath.Abs(dir)
	full = filepath.ToSlash(full)
	return full == "/var/mail" || full == "/var/spool/mail"
}

// Size returns the bytes of the files at path that Walk would read with the same options: a
// cheap estimate for a progress bar, which opens no file. What cannot be read, and "-", count 0.
func Size(path string, o Options) (bytes int64) {
	info, err := os.Stat(path)
	switch {
	case path == "-" || err != nil:
		return 0
	case !info.IsDir():
		return info.Size()
	}
	o.Remark = nil
	w := newWalker(context.Background(), o, nil)
	w.visit = func(path string, _ bool) error {
		if info, err := os.Stat(path); err == nil {
			bytes += info.Size()
		}
		return nil
	}
	_ = w.list(path)
	return bytes
}

// fileOf returns the file of several documents of which path names one, as Document.Path does.
func fileOf(path string) (file string, is bool) {
	at := strings.LastIndexByte(path, ':')
	_, err := strconv.ParseUint(path[at+1:], 10, 64)
	return path[:max(at, 0)], at > 0 && err == nil
}
