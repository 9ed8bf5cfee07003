package reading

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/polya-classifier/polya/classify/corpus"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// noting collects facts about attributes for notes at the end of a run.
type noting struct {
	documents bool                  // at least one document was read
	fresh     map[string]bool       // attributes first counted in this run
	unmet     map[string]count.Kind // of --kind, for attributes that no document had yet

	mu    sync.Mutex // the reading goroutine adds columns
	mixed []corpus.Mixed

	columns []corpus.Column       // of strings, to be noted
	uses    map[string]corpus.Use // how each column of strings is used, by name
}

// use returns the use of a column of strings: an attribute if its name is stated or
// counted, else its use in an earlier table. If the run does not learn, an unknown attribute
// would contribute nothing.
func (a *Attributes) use(column string) corpus.Use {
	_, stated := a.stated[column]
	use, met := a.uses[column]
	switch {
	case stated:
		return corpus.AsAttribute
	case met:
		return use
	case a.AsksDatabase:
		return corpus.Alone
	}
	return corpus.Undecided
}

// decided records the use of a column of strings.
func (a *Attributes) decided(c corpus.Column) {
	if use := a.use(c.Name); use == corpus.Undecided || use == corpus.Alone && c.Use == corpus.AsText {
		a.mu.Lock()
		a.columns = append(a.columns, c)
		a.mu.Unlock()
	}
	a.uses[c.Name] = c.Use
}

// columnNotes says which columns were taken for the text, and which categories are of no
// use.
func (a *Attributes) columnNotes() []string {
	var notes few
	for _, c := range a.columns {
		switch {
		case c.Use == corpus.AsText:
			notes.add(fmt.Sprintf("%s: column %s is taken for a text: %s of %s cells differ, and are sentences; --text-column names others, and --text-column '' none",
				c.Path, c.Name, terminal.Grouped(c.Different), terminal.Grouped(c.Cells)))
		case c.Differs():
			notes.add(fmt.Sprintf("%s: column %s: %s of %s cells differ; taken as category, it tells nothing of other rows. If it is a text, --text-column %s counts its words",
				c.Path, c.Name, terminal.Grouped(c.Different), terminal.Grouped(c.Cells), terminal.ShellWords(c.Name)))
		}
	}
	return notes.all("more column like these", "more columns like these")
}

// mix records a column that has numbers and something else.
func (n *noting) mix(m corpus.Mixed) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mixed = append(n.mixed, m)
}

// meet notes which attributes d has.
func (n *noting) meet(d *Document) {
	n.documents = true
	if len(n.unmet) == 0 {
		return
	}
	for _, a := range d.values() {
		delete(n.unmet, a.Name)
	}
}

// Notes lists possible mistakes: columns that became categories because of a few cells,
// without a stated kind, and kinds of attributes that no document had.
func (a *Attributes) Notes() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var mixed few
	for _, m := range a.mixed {
		if _, stated := a.stated[m.Column]; !stated && a.fresh[m.Column] && a.counted[m.Column] == count.Category {
			mixed.add(fmt.Sprintf("%s: column %s: %s of %s cells are numbers; taken as category because of line %d (%.40q)",
				m.Path, m.Column, terminal.Grouped(m.Numbers), terminal.Grouped(m.Cells), m.Line, m.Other))
		}
	}
	notes := append(mixed.all("more column like these", "more columns like these"), a.columnNotes()...)
	if a.documents {
		for _, name := range slices.Sorted(maps.Keys(a.unmet)) {
			notes = append(notes, fmt.Sprintf("--kind %s=%s: no document had an attribute %.40q", name, a.unmet[name], name))
		}
	}
	return notes
}

// Note prints the notes.
func (a *Attributes) Note(to *terminal.Streams) {
	for _, note := range a.Notes() {
		to.Note(errors.New(note))
	}
}
