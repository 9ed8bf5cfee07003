package evaluating

import (
	"strconv"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// fewDocuments is the number of documents below which a bin is not joined to its
// neighbours: its frequency has a standard error of 16 points or more.
const fewDocuments = 10

func reliabilitySection(r *evaluation.Report) section {
	s := section{title: "Reliability",
		read: "Of the documents of which the class was said with this probability (across), this share is of it (up), with its 95\u00a0% Wilson interval: honest probabilities lie on the diagonal, overconfident ones below. Lines join bins of " +
			strconv.Itoa(fewDocuments) + " documents or more. The lower part has the number of documents of each mark."}
	for i, m := range r.Models {
		if len(r.Models) > manyModels && m != r.DefaultModel() {
			continue
		}
		s.figures = append(s.figures, reliabilityFigures(printable(m.Name)+": the class with the highest probability", i, m.Reliability)...)
		s.figures = append(s.figures, reliabilityFigures(printable(m.Name)+": the class "+printable(r.Positive), i, m.PositiveReliability)...)
	}
	return s
}

// reliabilityFigures draws the observed frequency of answers against their probability,
// and below it the number of documents; nothing if there are none.
func reliabilityFigures(caption string, index int, bins []evaluation.Bin) []figure {
	most := 0
	for _, b := range bins {
		most = max(most, b.Docs)
	}
	if most == 0 {
		return nil
	}
	top := chart{height: chartHeight - 50, x: shares(""), y: shares("share of which it is true")}
	bottom := chart{height: 130, x: shares("probability"), y: logarithmic("documents", .8, 1.5*float64(most), terminal.Grouped[float64])}
	top.rule(grey, "3,3", point{0, 0}, point{1, 1})
	for _, run := range joined(bins) {
		top.line(index, run...)
	}
	for _, b := range bins {
		if b.Docs > 0 {
			top.rule(colour(index), "", point{b.Probability, b.FrequencyLow}, point{b.Probability, b.FrequencyHigh})
			top.marks(index, point{b.Probability, b.Frequency})
			bottom.rule(colour(index), "", point{b.Probability, .8}, point{b.Probability, float64(b.Docs)})
		}
	}
	return []figure{{Caption: caption, SVG: top.svg(caption) + bottom.svg(caption+": documents")}}
}

// joined returns the runs of neighbouring bins that a line joins.
func joined(bins []evaluation.Bin) [][]point {
	var runs [][]point
	var run []point
	for _, b := range bins {
		switch {
		case b.Docs >= fewDocuments:
			run = append(run, point{b.Probability, b.Frequency})
		case b.Docs > 0:
			runs, run = append(runs, run), nil
		}
	}
	return append(runs, run)
}
