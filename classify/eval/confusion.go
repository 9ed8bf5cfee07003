package eval

// Counts are the numbers of answers about a class or a tag.
type Counts struct {
	Docs  int `json:"documents"` // documents of it
	Said  int `json:"answered"`  // documents answered with it
	Right int `json:"right"`     // of these, those that are of it
}

// Precision returns the share of Said that is right, 0 if there is none, as in scikit-learn
// (zero_division=0).
func (c Counts) Precision() float64 { return ratio(c.Right, c.Said) }

// Recall returns the share of Docs that was answered with it, 0 if there is none.
func (c Counts) Recall() float64 { return ratio(c.Right, c.Docs) }

// F1 returns the harmonic mean of Precision and Recall, 0 if there are neither documents nor answers.
func (c Counts) F1() float64 { return ratio(2*c.Right, c.Said+c.Docs) }

// Confusion counts documents by their true class and their answer.
type Confusion struct {
	// Classes are the names of the classes by index.
	Classes []string

	// Counts[i][j] is the number of documents of class i that were answered as class j.
	Counts [][]int
}

// Confusion returns the counts of the answers.
func (r *Results) Confusion() Confusion {
	k := len(r.Classes)
	c := Confusion{Classes: r.Classes, Counts: make([][]int, k)}
	for i := range c.Counts {
		c.Counts[i] = make([]int, k)
	}
	for _, a := range r.Answers {
		c.Counts[a.Class][a.Said]++
	}
	return c
}

// Of returns the counts of class i.
func (c Confusion) Of(i int) Counts {
	n := Counts{Right: c.Counts[i][i]}
	for j := range c.Counts {
		n.Docs += c.Counts[i][j]
		n.Said += c.Counts[j][i]
	}
	return n
}

// All returns the sums over all classes.
func (c Confusion) All() (all Counts) {
	for i := range c.Counts {
		n := c.Of(i)
		all.Docs, all.Said, all.Right = all.Docs+n.Docs, all.Said+n.Said, all.Right+n.Right
	}
	return all
}

// Accuracy returns the share of documents that were answered correctly, NaN if there are none.
func (c Confusion) Accuracy() float64 {
	all := c.All()
	return float64(all.Right) / float64(all.Docs)
}

// MacroF1 returns the mean of F1 over the classes that some document has or was answered
// with: every class weighs the same. These are scikit-learn's default classes. NaN if
// there are no documents.
func (c Confusion) MacroF1() float64 {
	var sum, classes float64
	for i := range c.Counts {
		if n := c.Of(i); n.Docs+n.Said > 0 {
			sum += n.F1()
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
