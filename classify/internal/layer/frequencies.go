package layer

import "github.com/polya-classifier/polya/store/count"

// Frequencies returns, by number, how many documents have each of the terms, whose rows it reads.
func (x *Terms) Frequencies(read func(terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) error) ([]uint64, error) {
	const batch = 1 << 12
	df := make([]uint64, x.Len())
	var terms []count.TermCount
	for from := 0; from < len(df); from += batch {
		terms = terms[:0]
		for i := from; i < min(from+batch, len(df)); i++ {
			terms = append(terms, count.TermCount{Term: x.Term(i), N: 1})
		}
		err := read(terms, false, func(i int, cells []count.Cell) error {
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
