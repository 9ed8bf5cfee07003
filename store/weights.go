package store

// Weights returns for each count x the weight W, in units of 2^-16, that a term
// which occurs x times has in this document, those that were dropped too being
// part of its length; 0 for counts that no term has. It is what learning the
// document adds to the rows, so that subtracting it leaves the document out.
func (d *Document) Weights() (w [MaxCount + 1]uint64) {
	var terms [MaxCount + 1]uint64
	for i := range d.Terms {
		terms[d.Terms[i].N]++
	}
	for _, p := range d.Dropped {
		terms[p.N] += p.Count
	}
	w, _ = weigh(&terms)
	return w
}
