package reading

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// remarks collects the remarks of a run on how documents were read.
type remarks struct {
	mu sync.Mutex // the reading goroutine adds them
	few

	empty, binary leftOut
	likeLines     bool              // said of one file
	named         []string          // paths of documents to learn
	several       map[string]string // what is said of those of them that look like several documents
}

// leftOut counts documents found in folders that are not learned.
type leftOut struct {
	n     int
	first string
}

func (l *leftOut) add(what string) {
	if l.n++; l.n == 1 {
		l.first = what
	}
}

func (r *remarks) add(m corpus.Remark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m.What == corpus.LikeLines && r.likeLines {
		return
	}
	r.likeLines = r.likeLines || m.What == corpus.LikeLines
	if (m.What == corpus.LikeMbox || m.What == corpus.LikeJSONL) && m.Path != "-" && slices.Contains(r.named, m.Path) {
		r.several[m.Path] = remarkText(m)
		return
	}
	r.few.add(m.Path + ": " + remarkText(m))
}

// looksSeveral returns why a document at path is not learned as one, "" if it is.
func (r *remarks) looksSeveral(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimPrefix(r.several[path], "read ")
}

// remarkText says what was read in an unexpected way, and what to do.
func remarkText(m corpus.Remark) string {
	switch m.What {
	case corpus.Cut:
		return fmt.Sprintf("longer than %d MB; what comes after these is not read", corpus.DefaultMaxBytes>>20)
	case corpus.LikeMbox:
		return "read as one message, though it looks like an mbox of several; --format mbox reads each, --format mail says that it is one"
	case corpus.LikeJSONL:
		return "read as one text, though it looks like JSON lines; --format jsonl reads each, --format text says that it is one"
	case corpus.LikeLines:
		return "read as one text, though it looks like a document a line; --format lines reads each, --format text says that it is one"
	case corpus.LeftFolders:
		return terminal.Counted(m.N, "Maildir", "Maildirs") + " in it not read; --subfolders reads them too"
	case corpus.LeftLinks:
		return terminal.Counted(m.N, "link", "links") + " out of the folder not followed; --follow-links reads what they lead to"
	case corpus.Headless:
		return "its first row is taken for the names of columns; write these above it if it is none"
	case corpus.Nested:
		return "the folders that are classes hold only folders; if those are the classes, give a folder below"
	}
	return ""
}

func (r *remarks) note(to *terminal.Streams) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.all("more note like these", "more notes like these") {
		to.Note(errors.New(line))
	}
	if r.empty.n > 0 {
		to.Note(fmt.Errorf("%s left out, such as %s", terminal.Counted(r.empty.n, "empty document", "empty documents"), r.empty.first))
	}
	if r.binary.n > 0 {
		to.Note(fmt.Errorf("%s left out as no text, such as %s; --format text reads all the same",
			terminal.Counted(r.binary.n, "file", "files"), r.binary.first))
	}
}
