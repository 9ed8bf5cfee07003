package model

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/internal/layer"
	"github.com/polya-classifier/polya/store/count"
)

// Row is one known term of a document: its occurrences there, and its counts in each
// class.
type Row struct {
	// X is the number of occurrences in the document, 1 to count.MaxCount.
	X int

	// Cells are the counts of the classes that have the term, in no particular order; there
	// is at least one.
	Cells []count.Cell

	// DF, TF and W are the sums of the cells.
	DF, TF, W uint64

	// Term is the term. It may be nil for scorers other than a Layer. At is its index among
	// the terms that were read, such as Evidence.Terms.
	Term []byte
	At   int

	// Fields is the group of fields of the term, AllFields if unknown.
	Fields Fields

	// Own is the part of Cells that is of the user of a sum; see Overlaid.
	Own []count.Cell
}

// Overlaid is a Reader of the sums of a base and of the counts of a user.
type Overlaid interface {
	Reader

	// Own returns the part of the user in the cells with which AppendRows calls f, during
	// that call. The cells are valid as long as these.
	Own() []count.Cell
}

// Reader reads the counts as of one moment, such as a store.Snapshot.
type Reader interface {
	// AppendRows calls f with the cells of each of the terms that some class has, in
	// their order, and returns memory with the cells appended. U is set if levels is
	// true, and valid only during the call.
	AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error)

	// CategoryCounts sets counts to the documents of each class that have the category,
	// and returns whether any has.
	CategoryCounts(name, category string, counts []uint64) (known bool, err error)

	// GreatestWithout returns the greatest value of a uniform attribute in a class after
	// removing one document with value x.
	GreatestWithout(name string, class int, x float64) (greatest float64, found bool, err error)
}

// RowsOnce is a Reader that reads the row of each term once from another, as long as there is
// room to keep the rows.
type RowsOnce struct {
	Reader
	Terms   layer.Terms // the terms read so far
	Numbers []uint32    // of the terms read last
}

// Number sets Numbers to those of terms.
func (r *RowsOnce) Number(terms []count.TermCount) {
	r.Numbers = r.Terms.Numbers(r.Numbers[:0], terms)
}

// AppendRows implements Reader.
func (r *RowsOnce) AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if r.Number(terms); levels {
		return r.Reader.AppendRows(memory, terms, levels, func(i int, cells []count.Cell) error {
			r.Terms.Read(r.Numbers[i], cells)
			return f(i, cells)
		})
	}
	return r.Terms.AppendRows(r.Reader, memory, terms, r.Numbers, f)
}

// Evidence is one document as event models see it: the rows of its known terms, those
// that at least one class has. A term that no class has contributes nothing. The slices
// belong to the maker of the Evidence, who may reuse them afterwards.
type Evidence struct {
	// Rows are the rows of the document's known terms, in the order of Terms.
	Rows []Row

	// Channel are the rows of known terms of channels, which are not among Rows: only a
	// Ratio of that channel and a Layer read them.
	Channel []Row

	// Attributes are the document's known attributes, in the order of Totals.Attributes.
	Attributes []AttributeRow

	// Tokens is Σ X over the rows.
	Tokens int

	// Terms are the terms of the document, each once, known or not: what ReadTerms
	// looks up.
	Terms []count.TermCount

	// FieldsOf, if not nil, sets Row.Fields.
	FieldsOf func(term []byte) Fields

	cells   []count.Cell            // memory of Row.Cells
	levels  []uint32                // memory of Cell.U
	counted []uint64                // memory of AttributeRow.Counts
	counts  [count.MaxCount + 1]int // by X: rows
	left    leaving                 // reused by LeaveOut
}

// Empty reports whether the document has no known term or attribute.
func (e *Evidence) Empty() bool { return len(e.Rows) == 0 && len(e.Attributes) == 0 }

// Unknown returns the number of terms that no class has, without those of channels.
func (e *Evidence) Unknown() int {
	n := -len(e.Rows)
	for i := range e.Terms {
		if !count.OfChannel(e.Terms[i].Term) {
			n++
		}
	}
	return n
}

// ReadTerms sets the rows to the rows of e.Terms, with their histograms if levels is true.
func (e *Evidence) ReadTerms(r Reader, levels bool) error {
	e.reset()
	err := e.read(r, e.Terms, levels)
	for i := range e.Rows {
		row := &e.Rows[i]
		if e.FieldsOf != nil {
			row.Fields = e.FieldsOf(row.Term)
		}
		if count.OfChannel(row.Term) {
			e.Channel = append(e.Channel, *row)
		}
	}
	if len(e.Channel) > 0 {
		e.Rows = slices.DeleteFunc(e.Rows, func(row Row) bool { return count.OfChannel(row.Term) })
	}
	e.finish()
	return err
}

func (e *Evidence) reset() {
	e.Rows, e.Channel, e.Tokens = e.Rows[:0], e.Channel[:0], 0
	e.cells, e.levels = e.cells[:0], e.levels[:0]
}

// read appends the rows of terms, also those of channels, to e.Rows.
func (e *Evidence) read(r Reader, terms []count.TermCount, levels bool) (err error) {
	overlaid, _ := r.(Overlaid)
	e.Rows = slices.Grow(e.Rows, len(terms))
	e.cells, err = r.AppendRows(e.cells, terms, levels, func(i int, cells []count.Cell) error {
		e.Rows = append(e.Rows, Row{X: int(terms[i].N), Cells: cells, Term: terms[i].Term, At: i})
		row := &e.Rows[len(e.Rows)-1]
		if overlaid != nil {
			row.Own = overlaid.Own()
		}
		for i := range cells {
			cell := &cells[i]
			row.DF, row.TF, row.W = row.DF+cell.DF, row.TF+cell.TF, row.W+cell.W
			if len(cell.U) > 0 {
				from := len(e.levels)
				e.levels = append(e.levels, cell.U...)
				cell.U = e.levels[from:len(e.levels):len(e.levels)]
			}
		}
		return nil
	})
	return err
}

// baseShare returns the share of the base in the documents that have the term. A Layer was
// learned from these, and says less of a term the more the user has taught of it.
func (row *Row) baseShare() float64 {
	base := row.DF
	for i := range row.Own {
		base -= row.Own[i].DF
	}
	return float64(base) / float64(row.DF)
}

// finish computes the fields that follow from the rows.
func (e *Evidence) finish() {
	e.begin()
	for i := range e.Rows {
		e.occur(e.Rows[i].X)
	}
}

// begin, and occur for each known term, count the terms by their occurrences.
func (e *Evidence) begin() {
	e.Tokens = 0
	clear(e.counts[:])
}

func (e *Evidence) occur(x int) {
	e.Tokens += x
	e.counts[x]++
}

// squares returns Σ log(1+x)² over the rows.
func (e *Evidence) squares() (sum float64) {
	for x, n := range e.counts {
		if n > 0 {
			sum += float64(n) * weightsLog[x] * weightsLog[x]
		}
	}
	return sum
}

// AttributeRow is one attribute of a document with the counts of its value.
type AttributeRow struct {
	// Attribute is the attribute of the document.
	Attribute count.Attribute

	// At is the index of its totals in Totals.Attributes.
	At int

	// Counts are, for a category, the documents of each class that have it, and All their
	// sum.
	Counts []uint64
	All    uint64
}

// ReadAttributes sets e.Attributes to the document's attributes that are among the totals
// and that use, indexed as the totals, does not leave out; nil uses all. The error wraps
// count.ErrInvalid for an attribute that cannot be counted, and is a
// *count.AttributeError for one of another kind than was counted.
func (e *Evidence) ReadAttributes(r Reader, totals []*count.AttributeTotals, use []bool, attributes []count.Attribute) error {
	e.Attributes = e.Attributes[:0]
	if len(attributes) == 0 {
		return nil
	}
	if err := checkAttributes(attributes); err != nil {
		return err
	}
	counts := e.counted[:0]
	for i := range attributes {
		a := &attributes[i]
		at := attributeNamed(totals, a.Name)
		if at < 0 {
			continue
		}
		row := AttributeRow{Attribute: *a, At: at}
		if a.Kind != totals[at].Kind {
			return &count.AttributeError{Name: a.Name, Have: totals[at].Kind, Want: a.Kind}
		}
		if use != nil && !use[at] {
			continue
		}
		if a.Kind == count.Category {
			from, n := len(counts), len(totals[at].Classes)
			counts = slices.Grow(counts, n)[:from+n]
			row.Counts = counts[from : from+n : from+n]
			known, err := r.CategoryCounts(a.Name, a.Category, row.Counts)
			if err != nil {
				return err
			}
			if !known {
				counts = counts[:from]
				continue
			}
			for _, n := range row.Counts {
				row.All += n
			}
		}
		e.Attributes = append(e.Attributes, row)
	}
	e.counted = counts
	// In order of name, so that sums do not depend on the order given.
	slices.SortStableFunc(e.Attributes, func(a, b AttributeRow) int { return a.At - b.At })
	return nil
}

// checkAttributes refuses attributes that no document can have.
func checkAttributes(attributes []count.Attribute) error {
	seen := make(map[string]bool, len(attributes))
	for i := range attributes {
		a := &attributes[i]
		if err := a.Check(); err != nil {
			return err
		}
		if seen[a.Name] {
			return fmt.Errorf("attribute %.40q: %w: given twice", a.Name, count.ErrInvalid)
		}
		seen[a.Name] = true
	}
	return nil
}

// attributeNamed returns the index of the attribute with this name, -1 if there is none.
func attributeNamed(attributes []*count.AttributeTotals, name string) int {
	return count.Named(attributes, name, func(a *count.AttributeTotals) string { return a.Name })
}
