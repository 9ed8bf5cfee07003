package rows

// tallyIndex finds the cell of a class among many of a term, which as a list would be
// gone through for each document: with a hundred classes that took half of the time of
// learning. It has, by class id, the index into tally.cells plus one, 0 for none, and
// knows nothing of the ids from its length on, nor of the term's first cell.
type tallyIndex []int32

const (
	// indexedCells is from how many cells on a term may have an index.
	indexedCells = 8

	// indexPerCell is how many entries an index may have for each of them, so that it
	// takes no more memory than they do: 4 bytes an entry, 48 a cell.
	indexPerCell = 12
)

// indexed returns what the index says of a class, and whether it knows that class.
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

// indexNew enters the newest cell, which is that of class, into the term's index, which
// is made, or made longer, when the term has cells enough. Their number is only known,
// and asked for, where the index did not know the class.
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
