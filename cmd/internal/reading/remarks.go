package reading

import (
	"errors"
	"fmt"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// remarks collects the remarks of a run on how documents were read.
type remarks struct {
	walk, documents few // the reading goroutine adds the first

	empty, binary     few  // that were left out
	likeLines, unread bool // said of one file, of one line
}

// add adds a remark about a folder or a table.
func (r *remarks) add(path string, what corpus.Oddity, n int) {
	text := ""
	switch what {
	case corpus.LeftFolders:
		text = terminal.Counted(n, "Maildir", "Maildirs") + " in it not read; --subfolders reads them too"
	case corpus.LeftSpecial:
		text = terminal.Counted(n, "folder", "folders") + " for sent, deleted or archived mail, drafts and the like are no classes; 'polya train CLASS FOLDER' learns one"
	case corpus.LeftLinks:
		text = terminal.Counted(n, "link", "links") + " out of the folder not followed; --follow-links reads what they lead to"
	case corpus.LinkedFolders:
		text = terminal.Counted(n, "link to a folder", "links to folders") + " in it not followed; name what a link leads to instead"
	case corpus.Headless:
		text = "its first row is taken for the names of columns; write these above it if it is none"
	case corpus.Nested:
		text = "the folders that are classes hold only folders; if those are the classes, give a folder below"
	}
	r.walk.add(path + ": " + text)
}

// meet adds remarks about a document, which is learned or not.
func (r *remarks) meet(d *Document, learns bool) {
	if learns && d.UnreadKey != "" && !r.unread {
		r.unread = true
		r.documents.add(fmt.Sprintf("%s: the key %.40q is not read, nor others beside class, text, id and time; what is to count goes into \"attributes\"", d.Path, d.UnreadKey))
	}
	if d.Cut {
		r.documents.add(fmt.Sprintf("%s: longer than %d MB; what comes after these is not read", d.Path, corpus.DefaultMaxBytes>>20))
	}
	if d.Like != corpus.Auto && (d.Like != corpus.Lines || !r.likeLines) {
		r.documents.add(d.Path + ": read " + looksLike(d))
		r.likeLines = r.likeLines || d.Like == corpus.Lines
	}
}

// looksLike says what a document looks like, and what to do.
func looksLike(d *Document) string {
	like := map[corpus.Format]string{corpus.Mbox: "an mbox of several", corpus.JSONL: "JSON lines", corpus.Lines: "a document a line"}[d.Like]
	one := "text"
	if d.Like == corpus.Mbox {
		one = "message"
	}
	return fmt.Sprintf("as one %s, though it looks like %s; --format %s reads each, --format %s says that it is one", one, like, d.Like, d.Format)
}

func (r *remarks) note(to *terminal.Streams) {
	for _, line := range append(r.documents.all(), r.walk.all()...) {
		to.Note(errors.New(line))
	}
	if n := r.empty.count(); n > 0 {
		to.Note(fmt.Errorf("%s left out, such as %s", terminal.Counted(n, "empty document", "empty documents"), r.empty.lines[0]))
	}
	if n := r.binary.count(); n > 0 {
		to.Note(fmt.Errorf("%s left out as no text, such as %s; --format text reads all the same",
			terminal.Counted(n, "file", "files"), r.binary.lines[0]))
	}
}
