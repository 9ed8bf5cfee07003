package evaluation

import (
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// reliabilityBins is the number of bins of the diagrams in a report.
const reliabilityBins = 10

// shownRates are the false-positive rates at which the miss rate of the positive class is reported.
var shownRates = []float64{.001, .01}

// finish measures the answers for the tested documents.
func (e *experiment) finish(asked []int) (*Report, error) {
	r := e.report
	r.Trained, r.Tested = len(e.trained), len(asked)
	if e.o.Tags {
		m := e.tagged.Measures()
		r.Tags = &m
		return r, nil
	}
	trained, tested := e.corpus.Count(e.trained), e.corpus.Count(asked)
	for i, name := range e.corpus.Classes {
		r.Classes = append(r.Classes, Class{name, trained[i], tested[i]})
	}
	e.noteClasses()
	positive := e.positive(tested)
	for _, m := range r.Models {
		m.measure(positive)
	}
	e.o.stage("intervals", 0)
	e.intervals()
	if r.Method == MethodPrequential {
		for _, n := range eval.LogSizes(1, r.Tested, curvePerDecade) {
			r.Curve = append(r.Curve, pointOf(n, r.Models, n))
		}
	}
	return r, e.ctx.Err()
}

// noteClasses adds notes on measures that the classes do not allow.
func (e *experiment) noteClasses() {
	learned := 0
	for _, class := range e.report.Classes {
		if class.Trained > 0 {
			learned++
		} else if class.Tested > 0 {
			e.note("class %s was not learned, so that %s cannot be told", class.Name, terminal.Counted(class.Tested, "document", "documents"))
		}
		if class.Trained > 0 && class.Tested == 0 {
			e.note("class %s was not asked about", class.Name)
		}
	}
	if learned == 1 {
		e.note("there is only one class, so that every answer is this class")
	}
}

// positive returns the class to look for, -1 if there is none.
func (e *experiment) positive(tested []int) int {
	classes := e.corpus.Classes
	at := slices.Index(classes, e.o.Positive)
	if at < 0 && len(classes) == 2 {
		at = slices.Index(classes, "spam")
		if at < 0 {
			at = 1
			if tested[0] < tested[1] {
				at = 0
			}
		}
	}
	if at >= 0 {
		e.report.Positive = classes[at]
	}
	return at
}

// measure sets all measures of m except the intervals.
func (m *Model) measure(positive int) {
	r, confusion := m.Results, m.Results.Confusion()
	m.MacroF1, m.Brier, m.ECE = Number(confusion.MacroF1()), Number(r.Brier()), Number(r.ECE())
	m.Confusion, m.Reliability = confusion.Counts, r.Reliability(reliabilityBins)
	sure, right := 0., 0.
	for i := range r.Answers {
		x := &r.Answers[i]
		if !x.Unsure {
			sure++
			if x.Said == x.Class {
				right++
			}
		}
	}
	n := float64(len(r.Answers))
	m.UnsureRate, m.SureAccuracy = Number((n-sure)/n), Number(right/sure)
	for i, name := range r.Classes {
		roc, n := r.ROC(i), confusion.Of(i)
		m.Classes = append(m.Classes, ClassMeasures{
			Class: name, Support: n.Docs,
			Precision: terminal.Share(n.Precision()), Recall: terminal.Share(n.Recall()), F1: terminal.Share(n.F1()),
			OneMinusROCAPercent: Number(roc.OneMinusROCAPercent()),
		})
	}
	if positive >= 0 {
		roc := r.ROC(positive)
		m.Positive = &Positive{
			OneMinusROCAPercent: Number(roc.OneMinusROCAPercent()), LAMPercent: Number(confusion.LAMPercent(positive)),
			Missed: []Missed{},
		}
		for _, x := range shownRates {
			rate, at := roc.MissedAt(x)
			m.Positive.Missed = append(m.Positive.Missed, Missed{x, Number(rate), Number(at.Threshold)})
		}
	}
}

func (e *experiment) intervals() {
	var values [][]float64
	models := e.report.Models
	for _, m := range models {
		right, loss := rightAndLoss(m.Results)
		if values == nil {
			values = [][]float64{right, loss}
		}
		values = append(values, right, loss, less(values[0], right), less(values[1], loss))
	}
	intervals := eval.Bootstrap(e.o.Seed, values[2:]...)
	for i, m := range models {
		own := intervals[4*i:]
		m.Accuracy, m.LogLoss = interval(own[0]), interval(own[1])
		if i == 0 {
			continue
		}
		test := eval.CompareErrors(models[0].Results, m.Results)
		e.report.Comparisons = append(e.report.Comparisons, Comparison{
			A: models[0].Name, B: m.Name, OnlyA: test.OnlyA, OnlyB: test.OnlyB, P: Number(test.P()),
			Accuracy: interval(own[2]), LogLoss: interval(own[3]),
		})
	}
}

func interval(i eval.Interval) Interval {
	return Interval{Number(i.Value), Number(i.Low), Number(i.High)}
}
