package reading

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// use returns the use of a column of strings: an attribute if its name is stated or
// counted, else its use in an earlier table. If the run does not learn, an unknown attribute
// would contribute nothing.
func (a *Attributes) use(column string) corpus.Use {
	_, stated := a.stated[column]
	use, met := a.uses[column]
	switch {
	case stated, a.before[column]:
		return corpus.AsAttribute
	case met:
		return use
	case a.AsksDatabase:
		return corpus.Alone
	}
	return corpus.Undecided
}

// decided records the use of a column of strings, or a doubt about one of numbers.
func (a *Attributes) decided(c corpus.Column) {
	use := a.use(c.Name)
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.Doubt != corpus.Sure {
		a.columns = append(a.columns, c)
		return
	}
	if c.Mixed() {
		a.mixed = append(a.mixed, c)
	}
	if use == corpus.Undecided || use == corpus.Alone && c.Use == corpus.AsText {
		a.columns = append(a.columns, c)
	}
	a.uses[c.Name] = c.Use
}

// Notes lists possible mistakes: columns that became categories because of a few cells,
// without a stated kind, or were taken for the text, categories that tell nothing, and attributes
// that no learned document has.
func (a *Attributes) Notes() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var notes few
	for _, m := range a.mixed {
		if _, stated := a.stated[m.Name]; !stated && !a.before[m.Name] && a.counted[m.Name] == count.Category {
			notes.add(fmt.Sprintf("%s: column %s: %s of %s cells are numbers; taken as category because of line %d (%.40q); 'polya help values' says what is a number, and what is absent",
				m.Path, m.Name, terminal.Grouped(m.Numbers), terminal.Grouped(m.Cells), m.Line, m.Other))
		}
	}
	for _, c := range a.columns {
		_, stated := a.stated[c.Name]
		switch {
		case c.Doubt == corpus.Thousands:
			notes.add(fmt.Sprintf("%s: column %s: %.40q is read with three decimals; if the mark parts thousands, write the numbers without it",
				c.Path, c.Name, c.Other))
		case c.Doubt == corpus.Codes && (stated || a.before[c.Name]):
		case c.Doubt == corpus.Codes:
			notes.add(fmt.Sprintf("%s: column %s: %.40q is read as a number; if it is a name, --kind %s takes it for one; forget the table first",
				c.Path, c.Name, c.Other, terminal.ShellWords(c.Name+"=category")))
		case c.Use == corpus.AsText:
			notes.add(fmt.Sprintf("%s: column %s is taken for a text: %s of %s cells differ, and are sentences; --text-column names others, and --text-column '' none",
				c.Path, c.Name, terminal.Grouped(c.Different), terminal.Grouped(c.Sampled)))
		case c.Mixed():
		case c.Figured():
			notes.add(fmt.Sprintf("%s: column %s: %s of %s cells differ, such as %.40q; taken as category, each is a name of its own. Write numbers without units and marks of thousands, of dates the month or weekday",
				c.Path, c.Name, terminal.Grouped(c.Different), terminal.Grouped(c.Sampled), c.Other))
		case c.Differs():
			flags := ""
			for _, name := range append(c.Texts, c.Name) {
				flags += " --text-column " + terminal.ShellWords(name)
			}
			notes.add(fmt.Sprintf("%s: column %s: %s of %s cells differ; taken as category, it tells nothing of other rows. If it is a text,%s counts its words; forget the table first",
				c.Path, c.Name, terminal.Grouped(c.Different), terminal.Grouped(c.Sampled), flags))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.unknown)) {
		notes.add(fmt.Sprintf("attribute %.40q counts for nothing: no document was learned with it", name))
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
