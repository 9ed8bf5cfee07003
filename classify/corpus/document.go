package corpus

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Format is the format of a document, or of a file of documents.
type Format int

const (
	// Auto distinguishes mail, HTML and text by content, and recognises files of
	// several documents by name: .mbox, .mbx, .mboxrd, .mboxo, .mboxcl, .mboxcl2 or mbox,
	// .jsonl or .ndjson, .csv or .tsv, each optionally followed by .gz or .bz2. A .json
	// file may be an array of JSON objects; a file in /var/mail, or with an index of
	// Thunderbird beside it, may be an mbox. Content is not enough: the sender of a message
	// writes it.
	Auto Format = iota

	// Mail is one Internet message (RFC 5322).
	Mail

	// HTML is one web page or a piece of one.
	HTML

	// Text is anything else.
	Text

	// Mbox is a file of messages, each after a line that begins with "From ".
	Mbox

	// Maildir is a folder with cur/ and new/, one message per file.
	Maildir

	// JSONL is a file of JSON objects, one per line or the elements of an array, with "text"
	// or "attributes", and optionally "class", "id" and "time".
	JSONL

	// Lines is a text with a document on each line that is not blank, perhaps after its
	// class as fastText writes it, "__label__spam".
	Lines

	// CSV is a table with a header row (RFC 4180), one document per row. If the header row
	// has no comma, columns may be separated by semicolons, tabs or bars.
	CSV
)

var formatNames = [...]string{
	Auto: "auto", Mail: "mail", HTML: "html", Text: "text",
	Mbox: "mbox", Maildir: "maildir", JSONL: "jsonl", Lines: "lines", CSV: "csv",
}

// String returns the name that ParseFormat reads.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("format %d", int(f))
	}
	return formatNames[f]
}

// ParseFormat reads the name of a format: auto, mail, html, text, mbox, maildir,
// jsonl, lines or csv.
func ParseFormat(name string) (Format, error) {
	if f := slices.Index(formatNames[:], name); f >= 0 {
		return Format(f), nil
	}
	return Auto, fmt.Errorf("unknown format %q: use one of %s", name, strings.Join(formatNames[:], ", "))
}

// single reports whether f is the format of a document, not of a container.
func (f Format) single() bool { return f == Mail || f == HTML || f == Text }

// Document is one document, with its metadata from the source.
type Document struct {
	// Path is where the document came from: "in/1.eml", "box.mbox:17" for the 17th message,
	// "docs.jsonl:3" for the third line, "data.csv:3" for the row that begins there, "-" for
	// standard input. An mbox of one message keeps the plain path.
	Path string

	// Class is empty if the source names none.
	Class string

	// ID is the id in a JSON line or a row, else empty.
	ID string

	// UnreadKey is the first key of a JSON line that has no role, else empty.
	UnreadKey string

	// Row says whether the document is a row of a table.
	Row bool

	// Copy is the number of earlier rows in the same table that are equal except perhaps for
	// their class, and have no id either: each row of a table is a document.
	Copy int

	// Content is valid only until the called function returns. It is empty for a row
	// without a text.
	Content []byte

	// Attributes are its named values beside the text, in order of name, each name
	// once. They may be kept.
	Attributes []Attribute

	// Format is Mail, HTML or Text, as detected or requested.
	Format Format

	// Detected says whether Format was found in Content, and neither requested nor that of
	// the file of documents.
	Detected bool

	// Time comes from the From line of an mbox or from JSON lines; it is zero if they have
	// none.
	Time time.Time

	// Cut says whether Content was cut at [Options.MaxBytes].
	Cut bool

	// Like is the format of a file of several documents that Content looks like, though it was
	// read as one: Mbox, JSONL or Lines, else Auto. A file in a folder is not compared with Lines.
	Like Format

	// Binary describes content that certainly is not text, such as "a PNG image", if no
	// format was requested. It is empty for all other content.
	Binary string
}

// IsEmpty reports whether the document has neither text, white space aside, nor
// attributes. A row of a table is never empty: its lack of attributes is information.
func (d *Document) IsEmpty() bool {
	return len(d.Attributes) == 0 && !d.Row && isBlankText(d.Content)
}

// DefaultMaxBytes bounds the content of a document. It is above the limit of mail servers,
// usually 10 to 50 MB.
const DefaultMaxBytes = 64 << 20

// Options says how to read. The zero value is ready to use.
type Options struct {
	// Format, if not Auto, overrides name and content. Mail, HTML and Text make every
	// file one document, even one that looks like an mbox.
	Format Format

	// Several detects mbox, JSON lines and labelled lines also by the beginning of a file, if its
	// name does not decide. It is for files that a user has put together, not for incoming messages.
	Several bool

	// Subfolders reads the folders in a Maildir too. Without it only the cur/ and new/ of a
	// Maildir are read, and hidden Maildirs in other folders are not.
	Subfolders bool

	// Exclude are patterns, as of path.Match, of the names of folders that are not
	// read. The name of a folder in a Maildir counts as Folders gives it, too.
	Exclude []string

	// FollowLinks follows links to files outside of the folder that is walked.
	FollowLinks bool

	// MaxBytes is the length at which longer content is cut; DefaultMaxBytes if it is not
	// positive. A row of a table that is longer by more than 1 MB is an error.
	MaxBytes int64

	// ClassColumn, TextColumns and IDColumn name the columns of a table, or the keys of JSON
	// lines, that are not attributes, in any case. To lack a named one is an error. If they are
	// empty, those called class, text and id are used, if they exist. Several texts are one
	// document, a line each.
	ClassColumn, IDColumn string
	TextColumns           []string

	// Usual are names that such columns have in some tables: of class and id the first that a
	// table has, of texts all that it has. They come before class, text and id.
	Usual struct{ Class, Texts, ID []string }

	// NoClasses, NoTexts and NoIDs say that there is no such column; a column called class,
	// text or id is an attribute then.
	NoClasses, NoTexts, NoIDs bool

	// Use, unless nil, returns the use of a column of strings in a table that no other
	// option names; nil makes all attributes. In a table without a text those that are AsText
	// are the text, or else those whose cells are sentences that almost all differ, or else
	// the only one that is Alone.
	Use func(column string) Use `json:"-"`

	// Decided, unless nil, is called with the use of each column of strings, before the
	// documents of the table.
	Decided func(Column) `json:"-"`

	// Remark, unless nil, is called about unexpected ways of reading a folder or a table, with the
	// number of folders or links.
	Remark func(path string, what Oddity, n int) `json:"-"`

	// Stdin is read for the path "-"; os.Stdin if it is nil. StdinPath, unless it is "", is
	// the path of a file whose content is read from Stdin, as if from a file of that name.
	Stdin     io.Reader `json:"-"`
	StdinPath string
}

func (o *Options) stdinPath() string { return cmp.Or(o.StdinPath, "-") }

// Oddity is an unexpected way of reading, which [Options.Remark] is told.
type Oddity int

const (
	// LeftFolders are N folders of a Maildir, or hidden Maildirs in another folder,
	// that were not read: see Options.Subfolders.
	LeftFolders Oddity = iota

	// LeftSpecial are N folders of a Maildir that are no class: see IsSpecial.
	LeftSpecial

	// LeftLinks are N links to files that were not followed: see Options.FollowLinks.
	LeftLinks

	// LinkedFolders are N links to folders, which are never followed.
	LinkedFolders

	// Headless is a table whose first row looks like values, not like names of columns.
	Headless

	// Nested is a folder whose N folders, the classes, hold only folders.
	Nested
)

// remark calls Remark, unless nil, if there are any.
func (o *Options) remark(path string, what Oddity, n int) {
	if o.Remark != nil && n > 0 {
		o.Remark(path, what, n)
	}
}

// Attribute is a named value of a document, beside its text.
type Attribute struct {
	Name string

	// Value is a string, a bool or a float64.
	Value any

	// Text is the table cell that Value was read from, without white space at its ends. It
	// is empty if the source itself distinguishes numbers from text, as JSON does.
	Text string
}

// attributes reads an object of numbers, strings, true and false, in order of name. Null and
// the empty string mean absent.
func (r *record) attributes(at int) ([]Attribute, error) {
	value, err := r.value(at)
	if value == nil {
		return nil, err
	}
	raw, _ := value.(json.RawMessage)
	if len(raw) == 0 || raw[0] != '{' {
		return nil, badValue("attributes are an object of names and values")
	}
	var object record
	if err := object.parse(raw); err != nil {
		return nil, err
	}
	list := []Attribute{}
	seen := map[string]bool{}
	for i, name := range object.keys {
		switch {
		case seen[name]:
			return nil, badValue("attribute %.40q comes twice", name)
		case name == "":
			return nil, badValue("an attribute without a name")
		case len(seen) == maxAttributes:
			return nil, badValue("more than %d attributes", maxAttributes)
		}
		seen[name] = true
		a := Attribute{Name: name, Value: object.values[i]}
		switch v := a.Value.(type) {
		case json.Number:
			if a.Value, err = strconv.ParseFloat(string(v), 64); err != nil {
				return nil, badValue("attribute %.40q: %.40s is beyond the numbers that can be counted", name, v)
			}
		case json.RawMessage:
			return nil, badValue("attribute %.40q is an array or an object: want a number, a string, true, false or null", name)
		}
		if a.Value != nil && a.Value != "" {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}
