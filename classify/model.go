package classify

import "github.com/polya-classifier/polya/store"

// Totals is what an event model may know beside the row of a term: the classes
// as a whole, in the order in which all slices by class are kept, and the
// number of distinct terms of all classes together.
type Totals struct {
	Classes    []*store.Class
	Documents  uint64
	Vocabulary uint64
}

// EventModel is a way to read the counts: it turns totals into a Scorer.
type EventModel interface {
	// Name is the model's name on the command line and in results.
	Name() string

	// Levels says whether Scorer.Term reads Cell.U.
	Levels() bool

	// Prepare computes what does not depend on the document. The Scorer is
	// immutable and safe for concurrent use.
	Prepare(t Totals) Scorer
}

// Scorer gives the log-likelihood of a document, up to a summand that is the
// same for all classes, in three parts. For a document in which n tokens fall
// on known terms (terms that at least one class has), its log-likelihood in
// class c is
//
//	Base(c, n) + Σ_t Term(c, x_t, cell)   over terms t that c has
//	           + Σ_t Missing(c, x_t)      over known terms t that c lacks
//
// so that a document is scored in O(distinct terms × classes that have them),
// and every term has a weight of its own in each class.
type Scorer interface {
	// Base is the part that depends on the document's length alone.
	Base(c int, n int) float64

	// Missing is the part of a known term that occurs x times, 1 ≤ x ≤
	// tokenize.MaxCount, and that class c lacks.
	Missing(c int, x int) float64

	// Term is the part of a term that occurs x times and has the counts of
	// cell in class c = cell.Class.
	Term(x int, cell store.Cell) float64
}
