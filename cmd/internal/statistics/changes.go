package statistics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// usefulDocuments is the number of documents of a class from which answers are useful: with
// fewer, the choice of documents decides.
const usefulDocuments = 20

// fewClasses is how many classes a summary of one line lists.
const fewClasses = 6

// changes describes for --json what a command changed in a database.
type changes struct {
	Database  string            `json:"database"`
	Learned   int               `json:"learned"`
	Moved     int               `json:"moved"`
	Forgotten int               `json:"forgotten"`
	Already   int               `json:"already"`
	Classes   map[string]uint64 `json:"classes"`
	New       []string          `json:"new,omitempty"` // the new classes among Classes
}

// Learned reports the changes of a training.
func Learned(to *terminal.Streams, db *store.DB, a store.Applied, before []string) {
	Report(to, db, a, before, "learned %s, moved %s, already learned %s", terminal.Grouped(a.Learned), terminal.Grouped(a.Moved), terminal.Grouped(a.Already))
	for _, note := range []string{TooFew(db), twins(Classes(db), before)} {
		if note != "" && !to.JSON {
			to.Printf("%s\n", note)
		}
	}
}

// twins returns a note on a new class whose name differs from that of another in capitals, spaces, how accents are
// composed, and decimals of 0 alone, else "".
func twins(classes []*count.Class, before []string) string {
	first := map[string]*count.Class{}
	for _, c := range classes {
		key := norm.NFC.String(strings.ToLower(strings.Join(strings.Fields(c.Name), " ")))
		if whole, decimals, _ := strings.Cut(key, "."); strings.Trim(whole, "-0123456789")+strings.Trim(decimals, "0") == "" {
			key = whole // a spreadsheet wrote 1 as 1.0
		}
		if other := first[key]; other != nil && (isNew(c, before) || isNew(other, before)) {
			return "note: these classes differ in capitals, spaces, composed accents or decimals of 0 alone; if they are one, join them: polya class merge " + terminal.ShellWords(c.Name, other.Name)
		}
		first[key] = c
	}
	return ""
}

// Report reports the changes of a command and the contents of the database now, so that a
// user notices that it was the wrong one. Classes that are not among those before are new; nil
// marks none.
func Report(to *terminal.Streams, db *store.DB, a store.Applied, before []string, format string, args ...any) {
	if !to.JSON {
		to.Printf("%s: %s; %s\n", terminal.Printable(db.Path()), fmt.Sprintf(format, args...), Now(db, before))
		return
	}
	c := changes{Database: db.Path(), Learned: a.Learned, Moved: a.Moved, Forgotten: a.Forgotten, Already: a.Already, Classes: map[string]uint64{}}
	for _, class := range Classes(db) {
		c.Classes[class.Name] = class.Docs
		if isNew(class, before) {
			c.New = append(c.New, class.Name)
		}
	}
	to.Lost = cmp.Or(to.Lost, to.EncodeJSON(c))
}

// Now lists the documents of each class or tag, and marks new ones as Report does.
func Now(db *store.DB, before []string) string {
	classes, err := classesOf(db)
	if err != nil {
		return "it cannot be read at this moment; 'polya info' says what it holds"
	}
	var parts, made []string
	documents := uint64(0)
	for _, c := range classes {
		part := terminal.Printable(c.Name) + " " + terminal.Grouped(c.Docs)
		if isNew(c, before) {
			part += " (new)"
			made = append(made, c.Name)
		}
		parts, documents = append(parts, part), documents+c.Docs
	}
	listed, each := "documents now: ", "classes"
	if db.Tags() { // a document may have several
		_ = db.View(func(s *store.Snapshot) error { documents = s.Documents(); return nil })
		listed, each = terminal.Counted(documents, "document", "documents")+" now: ", "tags"
	}
	switch {
	case len(classes) == 0 && documents > 0:
		return listed + "none with a tag"
	case len(classes) == 0:
		return "it holds no documents now"
	case len(classes) <= fewClasses:
		return listed + strings.Join(parts, ", ")
	}
	text := fmt.Sprintf("it holds %s documents of %d %s now", terminal.Grouped(documents), len(classes), each)
	if len(made) > 0 {
		text += ", new are " + Some(made)
	}
	return text
}

// TooFew returns a note on a database with too few documents for good answers, else "".
func TooFew(db *store.DB) string {
	if db.Tags() {
		return "" // tags report their needs themselves
	}
	classes := Classes(db)
	var few []string
	for _, c := range classes {
		if c.Docs < usefulDocuments {
			few = append(few, fmt.Sprintf("%s has %d", terminal.Printable(c.Name), c.Docs))
		}
	}
	switch {
	case len(classes) == 1:
		return fmt.Sprintf("note: %s is the only class; train another, or every answer is unsure", terminal.Printable(classes[0].Name))
	case len(few) > fewClasses:
		return fmt.Sprintf("note: %d classes have fewer than %d documents each, too few to be relied on", len(few), usefulDocuments)
	case len(few) > 0:
		return fmt.Sprintf("note: too few documents to be relied on: %s; %d of each is a start", strings.Join(few, ", "), usefulDocuments)
	}
	return ""
}

// Classes returns the classes of a database that have documents, or its tags with the number
// of their documents.
func Classes(db *store.DB) []*count.Class {
	classes, _ := classesOf(db)
	return classes
}

func classesOf(db *store.DB) (classes []*count.Class, err error) {
	err = db.View(func(s *store.Snapshot) error {
		if db.Tags() {
			classes = tagsOf(s.Classes())
			return nil
		}
		classes = slices.DeleteFunc(slices.Clone(s.Classes()), func(c *count.Class) bool { return c.Docs == 0 })
		return nil
	})
	return classes, err
}

// Names lists the classes of a database, in order. The list is not nil.
func Names(db *store.DB) []string {
	names := []string{}
	for _, c := range Classes(db) {
		names = append(names, c.Name)
	}
	return names
}

// Class returns the class or tag of that name, or an empty one and NoSuch if it has no documents.
func Class(db *store.DB, name string) (*count.Class, error) {
	classes := Classes(db)
	if i := count.ClassNamed(classes, name); i >= 0 {
		return classes[i], nil
	}
	return new(count.Class), NoSuch(db, name)
}

// isNew reports whether a class is not among those before, which are in order: a column of ids taken for
// that of classes makes 100,000.
func isNew(c *count.Class, before []string) bool {
	_, known := slices.BinarySearch(before, c.Name)
	return before != nil && !known
}

// Some lists names, only the first few if there are many.
func Some(names []string) string {
	const few = 12
	text := terminal.Printable(strings.Join(names[:min(len(names), few)], ", "))
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// NoSuch is the error about a class or tag that the database does not have.
func NoSuch(db *store.DB, name string) error {
	one, all := "class", "classes"
	if db.Tags() {
		one, all = "tag", "tags"
	}
	return fmt.Errorf("%s: no %s %q%s; 'polya class list' prints the %s", db.Path(), one, name, spelling.Meant(name, Names(db)), all)
}
