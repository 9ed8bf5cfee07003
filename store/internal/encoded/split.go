package encoded

import "github.com/polya-classifier/polya/store/count"

// Split returns the document with the terms for which stays returns false counted as
// dropped; it returns b itself if there are none.
func (b *Document) Split(stays func(term []byte, n uint8) (bool, error)) (*Document, error) {
	var goes []bool // by term; nil while all stay
	var failed error
	i := 0
	b.Each(func(term []byte, n uint8) {
		if failed == nil {
			var ok bool
			if ok, failed = stays(term, n); !ok && goes == nil {
				goes = make([]bool, b.Distinct)
			}
			if !ok {
				goes[i] = true
			}
		}
		i++
	})
	if failed != nil || goes == nil {
		return b, failed
	}
	d := b.Decode("")
	var counts [count.MaxCount + 1]uint64
	for _, p := range d.Dropped {
		counts[p.N] = p.Count
	}
	stay := d.Terms[:0]
	for i, t := range d.Terms {
		switch {
		case !goes[i]:
			stay = append(stay, t)
		case !count.OfChannel(t.Term): // which weighs nothing
			counts[t.N]++
		}
	}
	d.Terms, d.Dropped = stay, nil
	for n, terms := range counts {
		if terms > 0 {
			d.Dropped = append(d.Dropped, count.Pair{N: uint64(n), Count: terms})
		}
	}
	return Encode(&d)
}
