package eval

// Confusion counts documents by their true class and their answer.
type Confusion struct {
	// Classes are the names of the classes by index.
	Classes []string

	// Counts[i][j] is the number of documents of class i that were answered as class j.
	Counts [][]int
}

// Confusion returns the counts of the answers.
func (r *Results) Confusion() Confusion {
	k := len(r.classes)
	c := Confusion{Classes: r.classes, Counts: make([][]int, k)}
	for i := range c.Counts {
		c.Counts[i] = make([]int, k)
	}
	for _, a := range r.answers {
		c.Counts[a.Class][a.Said]++
	}
	return c
}

// Docs returns the number of documents.
func (c Confusion) Docs() (n int) {
	for i := range c.Counts {
		n += c.Support(i)
	}
	return n
}

// Right returns the number of documents that were answered correctly.
func (c Confusion) Right() (n int) {
	for i := range c.Counts {
		n += c.Counts[i][i]
	}
	return n
}

// Support returns the number of documents of class i.
func (c Confusion) Support(i int) (n int) {
	for _, count := range c.Counts[i] {
		n += count
	}
	return n
}

// Said returns the number of documents that were answered as class j.
func (c Confusion) Said(j int) (n int) {
	for i := range c.Counts {
		n += c.Counts[i][j]
	}
	return n
}

// Accuracy returns Right / Docs, NaN if there are no documents.
func (c Confusion) Accuracy() float64 {
	return float64(c.Right()) / float64(c.Docs())
}

// Precision returns the fraction of the documents answered as class i that are of class i, 0 if
// there are none, as in scikit-learn (zero_division=0).
func (c Confusion) Precision(i int) float64 {
	return ratio(c.Counts[i][i], c.Said(i))
}

// Recall returns the fraction of the documents of class i that were answered as class i, 0 if
// there are none, as in scikit-learn.
func (c Confusion) Recall(i int) float64 {
	return ratio(c.Counts[i][i], c.Support(i))
}

// F1 returns the harmonic mean of the precision and the recall of class i, 0 if no document is of
// class i or answered as class i, as in scikit-learn.
func (c Confusion) F1(i int) float64 {
	return ratio(2*c.Counts[i][i], c.Said(i)+c.Support(i))
}

// MacroF1 returns the mean of F1 over the classes that some document has or was answered
// with: every class weighs the same. These are scikit-learn's default classes. NaN if
// there are no documents.
func (c Confusion) MacroF1() float64 {
	var sum, classes float64
	for i := range c.Counts {
		if c.Support(i)+c.Said(i) > 0 {
			sum += c.F1(i)
			classes++
		}
	}
	return sum / classes
}

// ratio returns a/b, 0 if b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
