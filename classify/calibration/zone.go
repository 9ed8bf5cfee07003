package calibration

import (
	"math"
	"slices"

	"github.com/polya-classifier/polya/classify/internal/fit"
	"github.com/polya-classifier/polya/store/count"
)

// Answer is yes, no or unsure.
type Answer int

// The answers, in the order of the log-odds.
const (
	No Answer = iota
	Unsure
	Yes
)

// Zone is the interval of log-odds in which neither yes nor no is worth its risk: the answer
// is unsure.
type Zone struct {
	// No and Yes are log-odds for the class: the answer is no at No and below, yes
	// above Yes, and unsure between.
	No, Yes float64

	// Own and Others count, by answer, the documents of the class and of others that the
	// zone was chosen from.
	Own, Others [3]int
}

// Answer returns the answer for log-odds.
func (z *Zone) Answer(logOdds float64) Answer {
	switch {
	case logOdds > z.Yes:
		return Yes
	case logOdds > z.No:
		return Unsure
	}
	return No
}

// ZoneCosts are the costs of answers that zones are chosen by; a right answer costs nothing.
// They are for mail: a legitimate message called spam may never be read, which costs as much as
// ten spams in the inbox; an unsure message costs a tenth of a spam.
var ZoneCosts = struct{ WrongYes, WrongNo, Unsure float64 }{WrongYes: 10, WrongNo: 1, Unsure: 0.1}

// assumedZone returns the zone if log-odds are calibrated, for use while there are no documents
// to choose one from: no costs p WrongNo for a document of probability p, yes (1-p) WrongYes.
func assumedZone() Zone {
	return Zone{No: logit(ZoneCosts.Unsure / ZoneCosts.WrongNo), Yes: logit(1 - ZoneCosts.Unsure/ZoneCosts.WrongYes)}
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Zone returns the zone of a class; m may be nil.
func (m *Model) Zone(class count.ClassID) Zone {
	if m != nil {
		if z, known := m.Zones[class]; known {
			return z
		}
	}
	return assumedZone()
}

// unlikeOthers returns the log-odds of a class that documents unlike all that were learned may well
// have, and whether that is more than a filter asks for anyhow: for a class that has more documents
// than all others, where few of these are independent. Then nearly every answer is right in
// what was taught, and all other documents have that class too.
func (m *Model) unlikeOthers(class count.ClassID) (logOdds float64, unlike bool) {
	z, known := m.Zones[class]
	return z.Yes, known && z.Excess() > 0 && z.Yes > m.Floored(assumedZone().Yes+z.Excess())
}

// Floored returns the log-odds of answers that without the Floor would have these, in nats. The
// Floor is of the answers of all classes: log-odds asked of one class are floored too.
func (m *Model) Floored(logOdds float64) float64 {
	if m == nil {
		return logOdds
	}
	return fit.Shrinkage{Floor: fit.Floor(m.Floor)}.LogOdds(logOdds)
}

// ChooseZone returns the zone with the least expected cost for documents like these, whose
// log-odds are calibrated, but unsure where few of these are. own of the documents of the
// class are independent of each other, and others of all others; 1 or more.
//
// Where the class has more documents than all others, that says less of what will come than of
// what was taught: people teach what they do not want. Half of it counts; see Excess.
//
// Documents unlike all that were learned have log-odds between those of the class and those
// of others. Of n independent documents the next is unlike all with a probability of about
// 1/n (the rule of succession). If such a document exceeds the log-odds of a share e of the
// class with a probability of about .01/e, as among mail of other kinds than that learned, a
// wrong yes costs 10, and unsure .1, the share of least cost is 1/√n: yes takes more than
// these log-odds. No is bounded likewise, in proportion to its cost.
func ChooseZone(docs []Odds, own, others float64) Zone {
	var of [2][]float64 // the log-odds for the class of its documents, and those against it of others
	for _, d := range docs {
		if d.Probably() {
			of[0] = append(of[0], d.LogOdds)
		} else {
			of[1] = append(of[1], -d.LogOdds)
		}
	}
	z := assumedZone()
	excess := excess(len(of[0]), len(of[1]))
	z.Yes = within(z.Yes+excess, of[0], 1, others)
	z.No = -within(-z.No-excess, of[1], ZoneCosts.WrongNo/ZoneCosts.WrongYes, own)
	for _, d := range docs {
		if d.Probably() {
			z.Own[z.Answer(d.LogOdds)]++
		} else {
			z.Others[z.Answer(d.LogOdds)]++
		}
	}
	return z
}

// Excess returns by how much the zone is above that for the shares of its documents, in nats,
// 0 or more: for log-odds with a prior from elsewhere it is too high by so much.
func (z *Zone) Excess() float64 {
	return excess(z.Own[No]+z.Own[Unsure]+z.Own[Yes], z.Others[No]+z.Others[Unsure]+z.Others[Yes])
}

// excess returns half of the log-odds of the class by these numbers of documents, 0 or more.
func excess(own, others int) float64 {
	return max(0, math.Log(float64(own+1)/float64(others+1))/2)
}

// within returns the cut, or a greater one that the share cost/√n of the log-odds do not
// exceed, but no nearer to their greatest than by the share 1/√√n of the way there: where
// all are nearly the same, the next may well be a little less.
func within(cut float64, logOdds []float64, cost, n float64) float64 {
	if len(logOdds) == 0 {
		return cut
	}
	slices.Sort(logOdds)
	rank := int(math.Ceil(min(cost/math.Sqrt(n), 1) * float64(len(logOdds))))
	least, greatest := bounded(logOdds[max(rank, 1)-1]), bounded(logOdds[len(logOdds)-1])
	return max(cut, min(least, greatest-(greatest-cut)*(1-1/math.Sqrt(math.Sqrt(n)))))
}

// maxLogOdds bounds log-odds: beyond it no answer changes.
const maxLogOdds = 30

// bounded returns log-odds without what changes no answer.
func bounded(logOdds float64) float64 { return max(-maxLogOdds, min(maxLogOdds, logOdds)) }
