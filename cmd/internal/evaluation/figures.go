package evaluation

import (
	"slices"
	"strings"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// fewDocuments is the number of documents below which a bin is not joined to its
// neighbours: its frequency has a standard error of 16 points or more.
const fewDocuments = 10

// rocFigure has the curves of all models for the positive class: the miss rate against the
// false-positive rate, both on scales of logarithms. It is empty if they cannot be drawn.
func rocFigure(r *Report) string {
	positive := slices.IndexFunc(r.Classes, func(c Class) bool { return c.Name == r.Positive })
	if positive < 0 {
		return ""
	}
	c, names := chart{}, []string(nil)
	for i, m := range r.Models {
		roc := m.Results.ROC(positive)
		if roc.Positives == 0 || roc.Negatives == 0 {
			return ""
		}
		low := rates(&roc, eval.Point{TruePositives: roc.Positives}) // the same of all models
		c.x, c.y = axis{"false-positive rate", low.X}, axis{"miss rate", low.Y}
		var steps []point // across before up or down
		for k, p := range roc.Points {
			at := rates(&roc, p)
			if k > 0 {
				steps = append(steps, point{at.X, steps[len(steps)-1].Y})
			}
			steps = append(steps, at)
		}
		c.line(look(i), steps...)
		c.mark(i, rates(&roc, decided(m, positive)))
		names = append(names, terminal.Printable(m.Name))
	}
	return c.figure("positive: "+terminal.Printable(r.Positive), names...)
}

// decided returns the operating point of the answers of class i.
func decided(m *Model, i int) eval.Point {
	c := m.Results.Confusion()
	return eval.Point{TruePositives: c.Counts[i][i], FalsePositives: c.Of(i).Said - c.Counts[i][i]}
}

// rates returns where p is drawn: its false-positive rate and its miss rate.
func rates(roc *eval.ROC, p eval.Point) point {
	missed := float64(roc.Positives - p.TruePositives)
	return point{
		X: max(float64(p.FalsePositives), .5) / float64(roc.Negatives),
		Y: max(missed, .5) / float64(roc.Positives),
	}
}

// reliabilityFigures has the observed frequency of answers against their probability, of the models
// that are shown.
func reliabilityFigures(r *Report) string {
	var b strings.Builder
	for i, m := range r.Models {
		if slices.Contains(r.shown(), m) {
			b.WriteString(reliability(terminal.Printable(m.Name)+": the class with the highest probability", i, m.Reliability))
		}
	}
	return b.String()
}

// reliability returns the figure of model i, "" if it has no answers.
func reliability(caption string, i int, bins []eval.Bin) string {
	c := chart{x: axis{label: "probability"}, y: axis{label: "share of which it is true"}}
	c.line(`stroke="`+grey+`" stroke-dasharray="3,3"`, point{0, 0}, point{1, 1})
	drawn, run := false, []point(nil)
	for _, b := range bins {
		if b.Docs == 0 {
			continue
		}
		at := point{b.Probability, b.Frequency}
		c.line(look(i), point{b.Probability, b.FrequencyLow}, point{b.Probability, b.FrequencyHigh})
		c.mark(i, at)
		if run = append(run, at); b.Docs < fewDocuments {
			run = nil
		} else if n := len(run); n > 1 {
			c.line(look(i), run[n-2:]...)
		}
		drawn = true
	}
	if !drawn {
		return ""
	}
	return c.figure(caption)
}
