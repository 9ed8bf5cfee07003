package corpus

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Format says what a document, or a file of documents, is.
type Format int

const (
	// Auto tells mail, HTML, HTTP and text from each other by the content, and files of
	// several documents by the name: .mbox, .mbx, .mboxrd, .mboxo, .mboxcl, .mboxcl2 or
	// mbox, .jsonl or .ndjson, .csv or .tsv, each perhaps with .gz, .bz2 or .xz behind
	// it. A file in /var/mail, or with an index of Thunderbird beside it, may be an mbox
	// too. What content says does not suffice, since the sender of a message writes that.
	Auto Format = iota

	// Mail is one Internet message (RFC 5322).
	Mail

	// HTML is one web page or a piece of one.
	HTML

	// HTTP is a saved HTTP response: a status line and header fields, and the page.
	HTTP

	// Text is anything else.
	Text

	// Mbox is a file of messages, each after a line that begins with "From ".
	Mbox

	// Maildir is a folder with cur/ and new/, a message a file.
	Maildir

	// JSONL is a file of JSON objects, one a line, with "text" or "attributes",
	// and optionally "class", "id" and "time".
	JSONL

	// CSV is a table with a header row (RFC 4180), a document a row. Where the
	// header row has no comma, columns may be parted by semicolons or tabs.
	CSV
)

var formatNames = [...]string{
	Auto: "auto", Mail: "mail", HTML: "html", HTTP: "http", Text: "text",
	Mbox: "mbox", Maildir: "maildir", JSONL: "jsonl", CSV: "csv",
}

// String is the name that ParseFormat reads.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("format %d", int(f))
	}
	return formatNames[f]
}

// ParseFormat reads the name of a format: auto, mail, html, http, text, mbox, maildir,
// jsonl or csv.
func ParseFormat(name string) (Format, error) {
	for f, s := range formatNames {
		if s == name {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("unknown format %q: use one of %s", name, strings.Join(formatNames[:], ", "))
}

// single reports whether f is the format of a document, not of a container.
func (f Format) single() bool { return f == Mail || f == HTML || f == HTTP || f == Text }

// Document is one document and what its source says about it.
type Document struct {
	// Path is where the document came from, for messages and results:
	// "in/1.eml", "box.mbox:17" for the 17th message, "docs.jsonl:3" for the
	// third line, "data.csv:3" for the row that begins there, "-" for standard input.
	// An mbox of one message keeps the plain path.
	Path string

	// Class is empty where the source names none.
	Class string

	// ID is the id that a JSON line or a row gives, else empty.
	ID string

	// Row says that it is a row of a table.
	Row bool

	// Copy counts the rows before it in the same table that say the same, but
	// perhaps for their class, and have no id either: each row of a table is a
	// document. It is 0 for what is no row.
	Copy int

	// Content is valid only until the called function returns. It is empty for a row
	// without a text.
	Content []byte

	// Attributes are its named values beside the text, in order of name, each name
	// once. They may be kept.
	Attributes []Attribute

	// Format is Mail, HTML, HTTP or Text, as found or as asked for.
	Format Format

	// Time comes from the From line of an mbox or from JSON lines; it is zero
	// where they do not say.
	Time time.Time

	// Cut says that Content is the beginning of a longer one, by [Options.MaxBytes].
	Cut bool

	// Binary says, where no format was asked for, what the content is that surely is
	// no text: "a PNG image". It is empty for all others.
	Binary string
}

// IsEmpty reports whether the document has neither text, white space aside, nor attributes.
// A row of a table is not empty: that it lacks all of them is what it says.
func (d *Document) IsEmpty() bool {
	return len(d.Attributes) == 0 && !d.Row && isBlankText(d.Content)
}

// DefaultMaxBytes bounds the content of a document. It is above what mail
// servers take (usually 10 to 50 MB) and small enough to hold one in memory on
// any machine.
const DefaultMaxBytes = 64 << 20

// Options says how to read. The zero value is ready to use.
type Options struct {
	// Format, where not Auto, decides instead of name and content. Mail, HTML, HTTP and
	// Text make every file one document, even one that looks like an mbox.
	Format Format

	// Several has the beginning of a file tell an mbox and JSON lines too, where the
	// name tells nothing. It is for what somebody has put together, and not for
	// messages as they come in.
	Several bool

	// Subfolders has the folders in a Maildir read too. Without it a Maildir is its
	// own cur/ and new/, and hidden Maildirs in other folders are not read.
	Subfolders bool

	// Exclude are patterns, as of path.Match, of the names of folders that are not
	// read. The name of a folder in a Maildir counts as Folders gives it, too.
	Exclude []string

	// FollowLinks has links to files read that lead out of the folder that is walked.
	FollowLinks bool

	// MaxBytes is where the content of a longer document is cut;
	// DefaultMaxBytes where it is not positive. A row of a table that is longer
	// by more than 1 MB is an error.
	MaxBytes int64

	// ClassColumn, TextColumn and IDColumn are the columns of a table that are no
	// attributes. A table without one that is named here is an error. Where they
	// are empty, the columns called class, text and id are these, if there are any.
	ClassColumn, TextColumn, IDColumn string

	// NoClasses, NoTexts and NoIDs say that no column is one, also not one called
	// class, text or id, which is an attribute then. They do not concern JSON lines.
	NoClasses, NoTexts, NoIDs bool

	// Mixed, unless nil, is told of columns of numbers and of something else, before
	// the documents of the table come.
	Mixed func(Mixed)

	// Use, unless nil, says what a column of strings of a table is taken for, of those
	// that no other option names; nil takes all for attributes. Undecided is for the
	// text where the table has none and its cells are sentences of which almost all
	// differ, unless a second column is such a one. At most one column is the text.
	Use func(column string) Use

	// Decided, unless nil, is told what each column of strings is taken for, before
	// the documents of the table are given.
	Decided func(Column)

	// Remark, unless nil, is told of what is read otherwise than one may think.
	Remark func(Remark)

	// Stdin is read for the path "-"; os.Stdin where it is nil. StdinPath, unless it is "",
	// is the path of a file that Stdin is read for in place of that: as one of that name.
	Stdin     io.Reader
	StdinPath string
}

func (o *Options) stdinPath() string { return cmp.Or(o.StdinPath, "-") }
