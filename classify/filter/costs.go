package filter

import "math"

// Costs are the costs of answers about one class, in any unit. A right answer costs
// nothing.
type Costs struct {
	WrongYes float64 // yes for a document of another class
	WrongNo  float64 // no for a document of the class
	Unsure   float64 // no answer
}

// DefaultCosts are for mail: a legitimate message called spam may never be read, which
// costs as much as ten spams in the inbox; an unsure message costs a tenth of a spam.
var DefaultCosts = Costs{WrongYes: 10, WrongNo: 1, Unsure: 0.1}

// cuts returns the log-odds at and below which no is the cheapest answer, and those above
// which yes is: no costs p WrongNo for a document of probability p, yes (1-p) WrongYes. If
// unsure is never the cheapest, both are the same.
func (c Costs) cuts() (no, yes float64) {
	no, yes = logit(c.Unsure/c.WrongNo), logit(1-c.Unsure/c.WrongYes)
	if no < yes {
		return no, yes
	}
	even := math.Log(c.WrongYes / c.WrongNo)
	return even, even
}

// logit returns the log-odds of a probability.
func logit(p float64) float64 { return math.Log(p / (1 - p)) }
