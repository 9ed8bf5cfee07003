package layer

import (
	"slices"

	"github.com/polya-classifier/polya/store/count"
)

// Reader reads rows, as a store.Snapshot does.
type Reader interface {
	AppendRows(memory []count.Cell, terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) ([]count.Cell, error)
}

// mostCells is the number of cells from which no further rows are kept: 32 MB.
const mostCells = 1 << 20

// rows keeps the rows of numbered terms.
type rows struct {
	places []place // by number
	cells  []cell
	terms  []count.TermCount // reused: those to read
	which  []uint32          // their numbers
	memory []count.Cell
}

// place is where the cells of a term are; from is one more, 0 if they were not read.
type place struct{ from, n uint32 }

// cell is a count.Cell without levels.
type cell struct {
	df, tf, w uint64
	class     int
}

// AppendRows is the method of r without levels, for terms with these numbers. It reads each term from r
// once, as long as there is room to keep the rows.
func (x *Terms) AppendRows(r Reader, memory []count.Cell, terms []count.TermCount, numbers []uint32, f func(i int, cells []count.Cell) error) ([]count.Cell, error) {
	if len(x.rows.cells) >= mostCells {
		return r.AppendRows(memory, terms, false, f)
	}
	if err := x.readRows(r, numbers); err != nil {
		return memory, err
	}
	memory = slices.Grow(memory, 2*len(numbers))
	for i, number := range numbers {
		at, first := x.rows.places[number], len(memory)
		if at.n == 0 {
			continue
		}
		for _, c := range x.rows.cells[at.from-1:][:at.n] {
			memory = append(memory, count.Cell{Class: c.class, DF: c.df, TF: c.tf, W: c.w})
		}
		if err := f(i, memory[first:len(memory):len(memory)]); err != nil {
			return memory, err
		}
	}
	return memory, nil
}

// readRows reads the rows of these numbers that were not read yet.
func (x *Terms) readRows(r Reader, numbers []uint32) (err error) {
	k := &x.rows
	k.places = append(k.places, make([]place, x.Len()-len(k.places))...)
	k.terms, k.which = k.terms[:0], k.which[:0]
	for _, number := range numbers {
		if k.places[number].from == 0 {
			k.terms, k.which = append(k.terms, count.TermCount{Term: x.Term(int(number)), N: 1}), append(k.which, number)
			k.places[number].from = 1 // if no class has it
		}
	}
	if len(k.terms) == 0 {
		return nil
	}
	k.memory, err = r.AppendRows(k.memory[:0], k.terms, false, func(i int, cells []count.Cell) error {
		k.places[k.which[i]] = place{uint32(len(k.cells) + 1), uint32(len(cells))}
		for _, c := range cells {
			k.cells = append(k.cells, cell{c.DF, c.TF, c.W, c.Class})
		}
		return nil
	})
	return err
}

// Frequencies returns, by number, how many documents have each of the terms.
func (x *Terms) Frequencies(r Reader) ([]uint64, error) {
	const batch = 1 << 12
	df, numbers := make([]uint64, x.Len()), make([]uint32, 0, batch)
	var terms []count.TermCount
	var memory []count.Cell
	for from := 0; from < len(df); from += batch {
		terms, numbers = terms[:0], numbers[:0]
		for i := from; i < min(from+batch, len(df)); i++ {
			terms, numbers = append(terms, count.TermCount{Term: x.Term(i), N: 1}), append(numbers, uint32(i))
		}
		var err error
		memory, err = x.AppendRows(r, memory[:0], terms, numbers, func(i int, cells []count.Cell) error {
			for k := range cells {
				df[from+i] += cells[k].DF
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return df, nil
}
