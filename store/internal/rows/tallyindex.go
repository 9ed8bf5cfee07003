package rows

// tallyIndex finds the cell of a class among many of a term without scanning their list
// for each document: with a hundred classes that took half of the time of learning. It
// has, by class id, the index into tally.cells plus one, 0 for none. It does not have ids
// from its length on, nor the term's first cell.
type tallyIndex []int32

const (
	// indexedCells is the least number of cells of a term with an index.
	indexedCells = 8

	// indexPerCell is the greatest number of index entries per cell, so that an index takes
	// no more memory than the cells: 4 bytes an entry, 48 a cell.
	indexPerCell = 12
)

// indexed returns the index's entry of a class, and whether the index covers that class.
func (t *Tally) indexed(term *tallyTerm, class uint32) (at int32, known bool) {
	if term.index == 0 {
		return 0, false
	}
	index := t.indexes[term.index-1]
	if int64(class) >= int64(len(index)) {
		return 0, false
	}
	return index[class], true
}

// indexNew enters the newest cell, which is of class, into the term's index, which is
// made or extended when the term has enough cells. Their number is known, and needed,
// only if the index did not cover the class.
func (t *Tally) indexNew(term *tallyTerm, class uint32, cells int) {
	if term.index > 0 && int64(class) < int64(len(t.indexes[term.index-1])) {
		t.indexes[term.index-1][class] = int32(len(t.cells))
		return
	}
	if cells < indexedCells || int64(class) >= int64(cells*indexPerCell) {
		return
	}
	if term.index == 0 {
		t.indexes = append(t.indexes, nil)
		term.index = int32(len(t.indexes))
	}
	index := make(tallyIndex, cells*indexPerCell)
	for at := term.first.next; at != 0; at = t.cells[at-1].next {
		if id := t.cells[at-1].class; int64(id) < int64(len(index)) {
			index[id] = at
		}
	}
	t.indexes[term.index-1] = index
}
