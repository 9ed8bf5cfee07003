package reading

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// remarks collects the remarks of a run on how documents were read.
type remarks struct {
	walk, documents few // the reading goroutine adds the first

	empty, binary     few  // that were left out
	likeLines, unread bool // said of one file, of one line
}

// add adds a remark about a folder or a table.
func (r *remarks) add(path string, what corpus.Oddity, n int) {
	text := map[corpus.Oddity]string{
		corpus.LeftFolders:   terminal.Counted(n, "Maildir", "Maildirs") + " in it not read; --subfolders reads them too",
		corpus.LeftSpecial:   terminal.Counted(n, "folder", "folders") + " left out: sent, deleted and archived mail, drafts and the like make no classes; 'polya train CLASS FOLDER' learns one",
		corpus.LeftLinks:     terminal.Counted(n, "link", "links") + " out of the folder not followed; --follow-links reads what they lead to",
		corpus.LinkedFolders: terminal.Counted(n, "link to a folder", "links to folders") + " in it not followed; name what a link leads to instead",
		corpus.Headless:      "its first row is taken for the names of columns; write these above it if it is none",
		corpus.Nested:        "the folders that are classes hold only folders; if those are the classes, give a folder below",
	}[what]
	r.walk.add(path + ": " + text)
}

// meet adds remarks about a document, which is learned or not.
func (r *remarks) meet(d *Document, learns bool) {
	if learns && d.UnreadKey != "" && !r.unread {
		r.unread = true
		r.documents.add(fmt.Sprintf("%s: the key %.40q is not read, nor is any that is not the class, text, id or time; what is to count goes into \"attributes\"", d.Path, d.UnreadKey))
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
	like := map[corpus.Format]string{
		corpus.Mbox: "message, though it looks like an mbox of several", corpus.JSONL: "text, though it looks like JSON lines",
		corpus.Lines: "text, though it looks like a document a line, or a table (--format csv)",
	}[d.Like]
	return fmt.Sprintf("as one %s; --format %s reads each, --format %s says that it is one", like, d.Like, d.Format)
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

// maxRepeats is the number of ids remembered, the first ones, in about 50 MB.
const maxRepeats = 1 << 19

// Repeats finds ids that sources give to several different documents, of which only one is
// learned. The zero value is ready to use.
type Repeats struct {
	says   map[count.DocID]count.DocID // a digest of the first document with an id
	differ map[count.DocID]bool
	first  string
}

// Add compares a document of class with those before.
func (r *Repeats) Add(d *Document, class string) {
	if d.Document.ID == "" {
		return
	}
	if r.says == nil {
		r.says, r.differ = map[count.DocID]count.DocID{}, map[count.DocID]bool{}
	}
	now := classify.ContentID(append(d.says[:], class...))
	before, known := r.says[d.ID]
	switch {
	case !known && len(r.says) < maxRepeats:
		r.says[d.ID] = now
	case known && before != now:
		if r.first == "" {
			r.first = fmt.Sprintf("%s, id %.40s", d.Path, d.Document.ID)
		}
		r.differ[d.ID] = true
	}
}

// Note describes the repeated ids, "" if there are none.
func (r *Repeats) Note() string {
	n := len(r.differ)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s several documents that differ (first: %s): only one of them counts; --id-column '' reads no ids",
		terminal.Counted(n, "id names", "ids name"), r.first)
}

// Troubles are errors that did not stop a command.
type Troubles []error

// Error implements error.
func (t Troubles) Error() string { return errors.Join(t...).Error() }

// Unwrap lets errors.Is and errors.As look at each.
func (t Troubles) Unwrap() []error { return t }

// OrNil returns the troubles as an error, nil if there are none.
func (t Troubles) OrNil() error {
	if len(t) == 0 {
		return nil
	}
	return t
}

// maxFew is the number of lines of a kind that are printed: each file of a folder, or each row of a
// table, may cause one.
const maxFew = 10

// few has the first lines of a kind.
type few struct {
	lines []string
	more  int
}

func (f *few) add(line string) {
	if len(f.lines) < maxFew {
		f.lines = append(f.lines, line)
	} else {
		f.more++
	}
}

func (f *few) count() int { return len(f.lines) + f.more }

// all returns the lines, and how many more there were.
func (f *few) all() []string {
	if f.more == 0 {
		return f.lines
	}
	return append(f.lines, fmt.Sprintf("and %s more like these", terminal.Grouped(f.more)))
}

// Crash is a panic and where it happened, on its way from its goroutine to main.
type Crash struct {
	Value any
	Stack []byte
}

// Catch calls work and returns the panic in it, nil if there was none. A panic with a
// *Crash, which another goroutine has caught, keeps the stack of that goroutine.
func Catch(work func()) (c *Crash) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case *Crash:
			c = value
		default:
			c = &Crash{value, debug.Stack()}
		}
	}()
	work()
	return nil
}
