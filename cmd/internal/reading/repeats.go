package reading

import (
	"fmt"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/store/count"
)

// maxRepeats is the number of ids remembered, the first ones, in about 50 MB.
const maxRepeats = 1 << 19

// Repeats finds ids that sources give to several different documents, of which only one is
// learned. The zero value is ready to use.
type Repeats struct {
	says   map[count.DocID]count.DocID // a digest of the first document with an id
	differ map[count.DocID]bool
	first  string
	row    bool // the first is a row of a table
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
			r.first, r.row = fmt.Sprintf("%s, id %.40s", d.Path, d.Document.ID), d.Row
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
	note := fmt.Sprintf("%s several documents that differ (first: %s): only one of them counts", terminal.Counted(n, "id names", "ids name"), r.first)
	if r.row {
		note += "; --id-column '' reads no ids"
	}
	return note
}
