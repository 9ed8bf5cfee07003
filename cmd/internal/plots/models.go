package plots

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// measure is a column of the table of models.
type measure struct {
	name    string
	of      func(*evaluation.Model) float64
	cell    func(*evaluation.Model) cell
	greater bool // larger is better
}

func modelSection(r *evaluation.Report) section {
	s := section{ID: "models", Title: "The models",
		Read: "The best of a column is bold: accuracy and macro F1 are better when greater, all others when smaller. Brackets hold 95\u00a0% bootstrap intervals."}
	if len(r.Models) == 0 {
		s.Missing = []string{"No model was evaluated."}
		return s
	}
	t := table{Head: []head{{"model", false}}, Rows: make([][]cell, len(r.Models))}
	for i, m := range r.Models {
		t.Rows[i] = []cell{words(m.Name)}
	}
	for _, c := range measures(r) {
		values := make([]float64, len(r.Models))
		for i, m := range r.Models {
			values[i] = c.of(m)
			t.Rows[i] = append(t.Rows[i], c.cell(m))
		}
		t.Head = append(t.Head, head{c.name, true})
		markBest(&t, len(t.Head)-1, values, c.greater)
	}
	s.Tables = []table{t}
	s.Notes = modelNotes(r)
	return s
}

func measures(r *evaluation.Report) []measure {
	plain := func(name string, digits int, of func(*evaluation.Model) float64) measure {
		return measure{name: name, of: of,
			cell: func(m *evaluation.Model) cell { return decimals(of(m), digits) }}
	}
	list := []measure{
		{name: "accuracy", greater: true,
			of:   func(m *evaluation.Model) float64 { return float64(m.Accuracy.Value) },
			cell: func(m *evaluation.Model) cell { return interval(m.Accuracy, 100, 1, "\u00a0%") }},
		{name: "macro F1", greater: true,
			of:   func(m *evaluation.Model) float64 { return float64(m.MacroF1) },
			cell: func(m *evaluation.Model) cell { return share(float64(m.MacroF1)) }},
		{name: "log loss, nats",
			of:   func(m *evaluation.Model) float64 { return float64(m.LogLoss.Value) },
			cell: func(m *evaluation.Model) cell { return interval(m.LogLoss, 1, 3, "") }},
		plain("Brier", 4, func(m *evaluation.Model) float64 { return float64(m.Brier) }),
		plain("ECE", 4, func(m *evaluation.Model) float64 { return float64(m.ECE) }),
	}
	if r.Positive != "" {
		list = append(list, plain("1−ROCA %", 4, func(m *evaluation.Model) float64 {
			if m.Positive == nil {
				return math.NaN()
			}
			return float64(m.Positive.OneMinusROCAPercent)
		}))
	}
	if len(r.Models) > 0 && r.Models[0].MeanCost != nil {
		list = append(list, plain("mean cost", 4, func(m *evaluation.Model) float64 {
			if m.MeanCost == nil {
				return math.NaN()
			}
			return float64(*m.MeanCost)
		}))
	}
	return append(list, measure{name: "unsure",
		of:   func(m *evaluation.Model) float64 { return float64(m.UnsureRate) },
		cell: func(m *evaluation.Model) cell { return share(float64(m.UnsureRate)) }})
}

// interval returns the cell of a measure and its bounds, times scale. It can break at one
// place: a narrow screen shows the bounds below.
func interval(v evaluation.Interval, scale float64, digits int, unit string) cell {
	at := func(n evaluation.Number) string { return fixedPoint(scale*float64(n), digits) }
	c := cell{Text: at(v.Value), Number: true}
	if !math.IsNaN(float64(v.Value)) {
		c.Text += unit
	}
	if !math.IsNaN(float64(v.Low)) && !math.IsNaN(float64(v.High)) {
		c.Text += " [" + at(v.Low) + ",\u00a0" + at(v.High) + "]"
	}
	return c
}

// modelNotes says what the table leaves out.
func modelNotes(r *evaluation.Report) []string {
	var notes []string
	for _, m := range r.Models {
		if m.Zeros > 0 {
			notes = append(notes, fmt.Sprintf("%s gave the true class probability 0 on %s. Its log loss here is clipped at 36 nats for each; unclipped it is infinite.",
				printable(m.Name), terminal.Counted(m.Zeros, "document", "documents")))
		}
		if m.Variance > 0 {
			notes = append(notes, fmt.Sprintf("%s: the prior of its weights has variance %v.", printable(m.Name), m.Variance))
		}
	}
	return notes
}

func comparisonSection(r *evaluation.Report) section {
	s := section{ID: "mcnemar", Title: "McNemar's test",
		Read: "P is the probability that two equally good models differ at least as much in what only one of them has right. A small P says that there is a difference; how great it is, first less second, the last columns say."}
	if len(r.Comparisons) == 0 {
		s.Missing = []string{"No comparison: it needs two models."}
		return s
	}
	t := table{Head: []head{{"first", false}, {"second", false}, {"right: first only", true}, {"right: second only", true}, {"P", true},
		{"difference of accuracy, % points", true}, {"difference of log loss", true}}}
	for _, c := range r.Comparisons {
		t.Rows = append(t.Rows, []cell{words(c.A), words(c.B), whole(c.OnlyA), whole(c.OnlyB),
			probability(float64(c.P)), interval(c.Accuracy, 100, 1, ""), interval(c.LogLoss, 1, 3, "")})
	}
	s.Tables = []table{t}
	return s
}
