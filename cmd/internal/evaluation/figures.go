package evaluation

import (
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// fewDocuments is the number of documents below which a bin is not joined to its
// neighbours: its frequency has a standard error of 16 points or more.
const fewDocuments = 10

// section is a part of the page with figures.
type section struct {
	title   string
	read    string // how to read it
	figures []figure
}

// figure is a drawing and the names of its lines. The legend is HTML, which has room for names
// of any length and script.
type figure struct {
	caption string
	svg     string
	legend  []string
}

// tradeoff is the ROC of a model, and the operating point of its answers.
type tradeoff struct {
	roc     eval.ROC
	decided eval.Point
}

// tradeoffOf returns the curve of class i. Answers of that class count as positive.
func tradeoffOf(m *Model, i int) tradeoff {
	c := m.Results.Confusion()
	right := c.Counts[i][i]
	return tradeoff{m.Results.ROC(i), eval.Point{TruePositives: right, FalsePositives: c.Said(i) - right}}
}

// rocSection has the curves of all models for the positive class, if they can be drawn: the miss
// rate against the false-positive rate, both on scales of logarithms.
func rocSection(r *Report) section {
	s := section{title: "ROC",
		read: "What share of the positives is missed (up) if only so many of the negatives may be called positive (across): lower left is better. The mark is what was said; a rate of 0 is drawn as half a document."}
	positive := slices.IndexFunc(r.Classes, func(c Class) bool { return c.Name == r.Positive })
	if positive < 0 {
		return s
	}
	f, c := figure{caption: "positive: " + terminal.Printable(r.Positive)}, chart{}
	for i, m := range r.Models {
		t := tradeoffOf(m, positive)
		if t.roc.Positives == 0 || t.roc.Negatives == 0 {
			return s
		}
		low := t.at(eval.Point{TruePositives: t.roc.Positives}) // the same of all models
		c.x, c.y = axis{"false-positive rate", low.X}, axis{"miss rate", low.Y}
		var steps []point // across before up or down
		for k, p := range t.roc.Points {
			at := t.at(p)
			if k > 0 {
				steps = append(steps, point{at.X, steps[len(steps)-1].Y})
			}
			steps = append(steps, at)
		}
		c.line(look(i), steps...)
		c.mark(i, t.at(t.decided))
		f.legend = append(f.legend, terminal.Printable(m.Name))
	}
	f.svg = c.svg(f.caption)
	s.figures = []figure{f}
	return s
}

func (t *tradeoff) at(p eval.Point) point {
	missed := float64(t.roc.Positives - p.TruePositives)
	return point{
		X: max(float64(p.FalsePositives), .5) / float64(t.roc.Negatives),
		Y: max(missed, .5) / float64(t.roc.Positives),
	}
}

func reliabilitySection(r *Report) section {
	s := section{title: "Reliability",
		read: fmt.Sprintf("Of the documents of which the class was said with this probability (across), this share is of it (up), with its 95\u00a0%% Wilson interval: honest probabilities lie on the diagonal, overconfident ones below. Lines join bins of %d documents or more.", fewDocuments)}
	for i, m := range r.Models {
		if len(r.Models) > manyModels && m != r.DefaultModel() {
			continue
		}
		s.reliability(terminal.Printable(m.Name)+": the class with the highest probability", i, m.Reliability)
	}
	return s
}

// reliability adds a figure of the observed frequency of answers against their probability,
// unless there are none.
func (s *section) reliability(caption string, i int, bins []eval.Bin) {
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
	if drawn {
		s.figures = append(s.figures, figure{caption: caption, svg: c.svg(caption)})
	}
}
