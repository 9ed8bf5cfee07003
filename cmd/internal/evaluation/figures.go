package evaluation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/classify/eval"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

const (
	// classCurves is the largest number of classes whose curves share a figure.
	classCurves = 8

	// fewDocuments is the number of documents below which a bin is not joined to its
	// neighbours: its frequency has a standard error of 16 points or more.
	fewDocuments = 10
)

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

// tradeoff is the ROC of one class and model, and the operating point of the answers.
type tradeoff struct {
	name    string
	roc     eval.ROC
	decided eval.Point
}

// rocSection has the curves of all models for the positive class and, with more than two
// classes, those of the default model for each class against all others.
func rocSection(r *Report) section {
	s := section{title: "ROC",
		read: "What share of the positives is missed (up) if only so many of the negatives may be called positive (across): lower left is better. The mark is what was said; a rate of 0 is drawn as half a document."}
	if r.Positive != "" {
		var list []tradeoff
		for _, m := range r.Models {
			list = append(list, tradeoffOf(m, r.Positive))
		}
		s.add("positive: "+terminal.Printable(r.Positive), list)
	}
	if m := r.DefaultModel(); m != nil && (len(r.Classes) != 2 || r.Positive == "") {
		var list []tradeoff
		for _, c := range r.Classes {
			t := tradeoffOf(m, c.Name)
			t.name = c.Name
			list = append(list, t)
		}
		if n := len(list); n > classCurves {
			slices.SortStableFunc(list, func(a, b tradeoff) int {
				return cmp.Compare(b.roc.OneMinusROCAPercent(), a.roc.OneMinusROCAPercent())
			})
			list = list[:classCurves]
			s.read += fmt.Sprintf(" Of %d classes these are the %d with the largest areas above the curve.", n, classCurves)
		}
		s.add(terminal.Printable(m.Name)+": each class against all others", list)
	}
	return s
}

// tradeoffOf returns the curve of a class. Answers of that class count as positive.
func tradeoffOf(m *Model, positive string) tradeoff {
	i := slices.Index(m.Results.Classes(), positive)
	if i < 0 {
		return tradeoff{}
	}
	c := m.Results.Confusion()
	right := c.Counts[i][i]
	return tradeoff{m.Name, m.Results.ROC(i), eval.Point{TruePositives: right, FalsePositives: c.Said(i) - right}}
}

// add adds a figure of the curves that can be drawn: the miss rate against the false-positive
// rate, both on scales of logarithms.
func (s *section) add(caption string, list []tradeoff) {
	list = slices.DeleteFunc(list, func(t tradeoff) bool { return t.roc.Positives == 0 || t.roc.Negatives == 0 })
	if len(list) == 0 {
		return
	}
	low := point{1, 1}
	for _, t := range list {
		floor := t.at(eval.Point{TruePositives: t.roc.Positives})
		low = point{min(low.X, floor.X), min(low.Y, floor.Y)}
	}
	c := chart{x: axis{"false-positive rate", low.X}, y: axis{"miss rate", low.Y}}
	f := figure{caption: caption}
	for i, t := range list {
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
		f.legend = append(f.legend, terminal.Printable(t.name))
	}
	f.svg = c.svg(caption)
	s.figures = append(s.figures, f)
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
		s.reliability(terminal.Printable(m.Name)+": the class "+terminal.Printable(r.Positive), i, m.PositiveReliability)
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
