package decision

import (
	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/internal/numeric"
	"github.com/polya-classifier/polya/store/count"
)

// Case is the input of a decision: the posterior of a document and related facts.
type Case struct {
	Classes       []*count.Class // those with documents, in order of name
	Scores        []float64      // by class
	Probabilities []float64      // by class
	Order         []int          // the classes, the most probable first

	// Terms and Attributes are the numbers of distinct known ones.
	Terms, Attributes int

	// Contradicts is set if some terms by themselves are evidence for Positive; see Decision.
	Contradicts bool
	Text        float64 // calibration.Evidence.Text for Positive; see Filter

	// Unread is set if nothing of the text could be read; see tokenize.Bag.Unread.
	Unread bool

	Calibrated *calibration.Model // nil if there is none
	Costs      *CostTable         // set by Decide, of LeastCost

	// Recent is how much of the log-odds of the second of two classes recent lessons add.
	// Calibrations know nothing of them, and lessons are often of one class alone: an answer by
	// a Zone, a Tail or a Record is sure only if it is so with them and without.
	Recent float64

	Record *calibration.Record // for Precision; nil if there is none
	Earned float64             // set by Precision: what the answer has earned; see Record.Precision
}

// Untaught returns why every answer is unsure, whatever the document: OneClass or
// Unlearned; and Sure if an answer can be sure. d may be nil; classes are in order of name.
func Untaught(d Decision, classes []*count.Class) Reason {
	positive := PartsOf(Among(d, classes)).Positive
	switch i := count.ClassNamed(classes, positive); {
	case positive != "" && (i < 0 || classes[i].Docs == 0):
		return Unlearned
	case count.WithDocuments(classes) < 2:
		return OneClass
	}
	return Sure
}

// Decide returns the class to answer, and why that is unsure, if it is, as where it is less probable than
// threshold, 0 to 1.
func (a *Case) Decide(d Decision, threshold float64) (class int, reason Reason) {
	if costs := PartsOf(d).Costs; costs != nil {
		a.Costs = newCostTable(costs, a.Classes)
	}
	if reason := Untaught(d, a.Classes); reason != Sure {
		return a.Order[0], reason
	}
	d = Among(d, a.Classes)
	class, reason = d.choose(a)
	switch {
	case a.Terms == 0 && a.Attributes == 0:
		return class, NoKnownTerm
	case reason == Tie:
		return class, Tie
	case a.Probabilities[class] < threshold:
		return class, BelowThreshold
	case reason != Sure || a.Classes[class].Name == d.parts().Positive:
	case a.Contradicts:
		return class, Contradiction
	case a.Unread && d.parts().Positive != "":
		return class, Unread
	}
	return class, reason
}

// tied returns whether two classes are equally the most probable.
func (a *Case) tied() bool {
	return len(a.Order) > 1 && a.Scores[a.Order[1]] == a.Scores[a.Order[0]]
}

// logOdds returns the log-odds of a class with recent lessons and without, the less first.
func (a *Case) logOdds(class int) (low, high float64) {
	with := numeric.LogOdds(a.Scores, class)
	without := with - a.Recent
	if class == 0 {
		without = with + a.Recent
	}
	return min(with, without), max(with, without)
}

// unseen returns whether the document has fewer than half as many known terms as nearly all documents
// of the Record, as one in a language that was never learned: of such documents the Record tells
// nothing, and they may all get the same answer.
func (a *Case) unseen() bool {
	return a.Calibrated != nil && a.Attributes == 0 && 2*a.Terms < a.Calibrated.Seen
}
