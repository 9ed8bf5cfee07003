package reading

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/internal/spelling"
	"github.com/polya-classifier/polya/store/count"
)

// use returns the use of a column of strings: an attribute if its name is stated or
// counted, else its use in an earlier table. If the run does not learn, an unknown attribute
// would contribute nothing.
func (a *Attributes) use(column string) corpus.Use {
	use, met := a.uses[column]
	switch {
	case a.stated[column] != 0, a.before[column]:
		return corpus.AsAttribute
	case met:
		return use
	case a.AsksDatabase:
		return corpus.Alone
	}
	return corpus.Undecided
}

// decided records the use of a column.
func (a *Attributes) decided(c corpus.Column) {
	use := a.use(c.Name)
	a.mu.Lock()
	defer a.mu.Unlock()
	if use == corpus.Undecided || use == corpus.Alone && c.Use == corpus.AsText || c.Use == corpus.AsDecimals {
		a.columns = append(a.columns, c)
	}
	if c.Use == corpus.AsText || c.Use == corpus.AsAttribute {
		a.uses[c.Name] = c.Use
	}
}

// columnNote returns what may be a mistake about a column, "" if nothing is: that it became a category because of a
// few cells, or was taken for the text, a category that tells nothing, and numbers that may be misread.
func (a *Attributes) columnNote(c *corpus.Column) string {
	differ := fmt.Sprintf("%s of %s cells differ", terminal.Grouped(c.Different), terminal.Grouped(c.Sampled))
	switch category := a.counted[c.Name] == count.Category; {
	case c.Use > corpus.Alone && category:
		return "" // they are not taken for numbers
	case c.Use == corpus.AsDecimals:
		return fmt.Sprintf(": %.40q is read with three decimals; if the mark parts thousands, write the numbers without it", c.Other)
	case c.Use == corpus.AsCodes:
		return fmt.Sprintf(": %.40q is read as a number; if it is a name, --kind %s takes it for one; forget the table first if it is learned", c.Other, terminal.ShellWords(c.Name+"=category"))
	case c.Use == corpus.AsSequence:
		return ": each number is one more than in the row before; if they only number the rows, empty the name of the column; forget the table first if it is learned"
	case c.Use == corpus.AsText:
		return fmt.Sprintf(" is taken for a text: %s, and are sentences; --text-column names others, and --text-column '' none", differ)
	case c.Mixed() && !category:
		return ""
	case c.Mixed():
		return fmt.Sprintf(": %s of %s cells are numbers; taken as category because of line %d (%.40q); 'polya help values' says what is a number, and what is absent",
			terminal.Grouped(c.Numbers), terminal.Grouped(c.Cells), c.Line, c.Other)
	case c.Figured():
		return fmt.Sprintf(": %s, such as %.40q; taken as category, each is a name of its own. Write numbers without units and marks of thousands, of dates the month or weekday; --id-column names ids", differ, c.Other)
	case c.Differs():
		text := ": " + differ + "; taken as category, it tells little of other rows. If it is a text,"
		for _, name := range append(c.Texts, c.Name) {
			text += " --text-column " + terminal.ShellWords(name)
		}
		return text + " counts its words; forget the table first if it is learned"
	}
	return ""
}

// Notes lists possible mistakes: of columns, and attributes that no learned document has.
func (a *Attributes) Notes() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var notes few
	for i := range a.columns {
		if text := a.columnNote(&a.columns[i]); text != "" {
			notes.add(a.columns[i].Path + ": column " + a.columns[i].Name + text)
		}
	}
	known := slices.Sorted(maps.Keys(a.before))
	for _, name := range slices.Sorted(maps.Keys(a.unknown)) {
		notes.add(fmt.Sprintf("attribute %.40q counts for nothing: no document was learned with it%s", name, spelling.Meant(name, known)))
	}
	for _, name := range slices.Sorted(maps.Keys(a.quoted)) {
		notes.add(fmt.Sprintf("attribute %.40q: %.40q in quotes is a name; if it is a number, --kind %s reads it so; forget the documents first if they are learned", name, a.quoted[name], terminal.ShellWords(name+"=real")))
	}
	for _, name := range slices.Sorted(maps.Keys(a.counted)) {
		if !a.before[name] {
			if meant := spelling.Meant(name, known); meant != "" {
				notes.add(fmt.Sprintf("attribute %.40q was not learned before%s", name, meant))
			}
		}
		if a.rows && a.unmet[name] {
			notes.add(fmt.Sprintf("no row has %.40q, an attribute of nearly all learned documents", name))
		}
	}
	unlearned := func(flag, name string) {
		if _, known := a.counted[name]; !known {
			notes.add(fmt.Sprintf("%s: no document was learned with an attribute %.40q", flag, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.stated)) {
		unlearned(fmt.Sprintf("--kind %s=%s", name, a.stated[name]), name)
	}
	for _, v := range a.added {
		if !a.Learns { // else all that were read have it
			unlearned("--attr "+v.Name+"="+v.Text, v.Name)
		}
	}
	return notes.all()
}

// Note prints the notes.
func (a *Attributes) Note(to *terminal.Streams) {
	for _, note := range a.Notes() {
		to.Note(errors.New(note))
	}
}
