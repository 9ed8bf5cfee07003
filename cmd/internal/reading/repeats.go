package reading

import (
	"fmt"
	"unique"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// maxRepeats is the number of ids remembered, the first ones, in about 50 MB.
const maxRepeats = 1 << 19

// Repeats finds ids that sources give to several different documents, of which only one is
// learned. The zero value is ready to use.
type Repeats struct {
	says   map[count.DocID]said
	differ map[count.DocID]bool
	first  string
	row    bool // the first is a row of a table
}

// said is what the first document with an id is: a digest of all but its class, and that.
type said struct {
	digest count.DocID
	class  unique.Handle[string]
}

// Add compares a document of class with those before.
func (r *Repeats) Add(d *Document, class string) {
	if d.givenID == "" {
		return
	}
	if r.says == nil {
		r.says, r.differ = map[count.DocID]said{}, map[count.DocID]bool{}
	}
	now := said{d.says, unique.Make(class)}
	before, known := r.says[d.ID]
	switch {
	case !known && len(r.says) < maxRepeats:
		r.says[d.ID] = now
	case known && before != now:
		if r.first == "" {
			r.first, r.row = fmt.Sprintf("%s, id %.40s", d.Path, d.givenID), d.Row
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
	name := "names"
	if n > 1 {
		name = "name"
	}
	note := fmt.Sprintf("%s %s several documents that differ (first: %s): only one of them counts",
		terminal.Counted(n, "id", "ids"), name, r.first)
	if r.row {
		note += "; --id-column '' reads no ids"
	}
	return note
}
