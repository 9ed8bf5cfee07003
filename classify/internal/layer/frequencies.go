package layer

import "github.com/polya-classifier/polya/store/count"

// Frequencies returns, by number, how many documents have each of the terms. It reads the rows of terms
// for which known, which may be nil, returns false.
func (x *Terms) Frequencies(known func(number int) (df uint64, ok bool), read func(terms []count.TermCount, levels bool, f func(i int, cells []count.Cell) error) error) ([]uint64, error) {
	const batch = 1 << 12
	df := make([]uint64, x.Len())
	var terms []count.TermCount
	var numbers []int
	for i := range df {
		ok := false
		if known != nil {
			df[i], ok = known(i)
		}
		if !ok {
			terms, numbers = append(terms, count.TermCount{Term: x.Term(i), N: 1}), append(numbers, i)
		}
		if len(terms) < batch && i < len(df)-1 {
			continue
		}
		err := read(terms, false, func(i int, cells []count.Cell) error {
			for k := range cells {
				df[numbers[i]] += cells[k].DF
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		terms, numbers = terms[:0], numbers[:0]
	}
	return df, nil
}
