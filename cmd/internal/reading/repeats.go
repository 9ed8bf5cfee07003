package reading

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// maxRepeats is the number of ids remembered, the first ones, in about 40 MB.
const maxRepeats = 1 << 20

// Repeats finds ids that sources give to several different documents, of which only one is
// learned. The zero value is ready to use.
type Repeats struct {
	says   map[uint64]uint64 // a digest of the document, by the beginning of its id
	differ map[uint64]bool
	first  string
	row    bool // the first is a row of a table
}

// digestSeed is the same for all documents of a run; digests are compared only within it.
var digestSeed = maphash.MakeSeed()

// digest returns a hash of all that d says except its class.
func (d *Document) digest() uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	add := func(text string) {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(text)))) // a hash cannot fail
		_, _ = io.WriteString(&h, text)
	}
	add(string(d.Content))
	for _, a := range d.Given {
		add(a.Name)
		add(written(a))
	}
	return h.Sum64()
}

// Add compares a document of class with those before.
func (r *Repeats) Add(d *Document, class string) {
	if d.givenID == "" {
		return
	}
	if r.says == nil {
		r.says, r.differ = map[uint64]uint64{}, map[uint64]bool{}
	}
	id, says := binary.LittleEndian.Uint64(d.ID[:8]), d.says^maphash.String(digestSeed, class)
	before, known := r.says[id]
	switch {
	case !known && len(r.says) < maxRepeats:
		r.says[id] = says
	case known && before != says:
		if r.first == "" {
			r.first, r.row = fmt.Sprintf("%s, id %.40s", d.Path, d.givenID), d.Row
		}
		r.differ[id] = true
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
