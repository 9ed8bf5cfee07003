package evaluating

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// presenceClasses is the largest number of classes with a figure of their terms.
const presenceClasses = 20

func presenceSection(r *evaluation.Report) section {
	s := section{title: "Terms by class",
		read: "p(term in document | class) of all terms: the share of the documents of a class that have a term (up), the terms in order of how many documents of all classes have them (across). The grey line is the share of all documents. Where a class rises above it, or stays below, a term is informative."}
	p := r.Presence
	if p == nil {
		return s
	}
	classes := slices.Clone(p.Classes)
	if len(classes) > presenceClasses {
		slices.SortStableFunc(classes, func(a, b evaluation.ClassPresence) int { return cmp.Compare(b.Docs, a.Docs) })
		classes = classes[:presenceClasses]
		s.notes = append(s.notes, fmt.Sprintf("Of %d classes these are the %d with the most documents.", len(p.Classes), presenceClasses))
	}
	if p.Terms > len(p.Columns) {
		s.notes = append(s.notes, "Where terms are closer together than a line, a line reaches to the greatest share of a term among them; the grey line is their mean.")
	}
	for i := range classes {
		s.figures = append(s.figures, presenceFigure(p, &classes[i]))
	}
	return s
}

// presenceFigure draws the greatest share of each column as an upright line, and the mean
// share of all documents as a grey one.
func presenceFigure(p *evaluation.Presence, class *evaluation.ClassPresence) figure {
	c := chart{height: chartHeight - 70, y: shares("share of documents"),
		x: logarithmic("term, by document frequency", .8, float64(p.Terms)+.5, terminal.Grouped[float64])}
	for k, column := range p.Columns {
		if x := column.Place(); class.Greatest[k] > 0 {
			c.rule(colour(0), "", point{x, 0}, point{x, class.Greatest[k]})
		}
		if k > 0 {
			before := p.Columns[k-1]
			c.rule(grey, "", point{before.Place(), before.Share}, point{column.Place(), column.Share})
		}
	}
	return c.figure(fmt.Sprintf("%s: %s terms, %s", printable(class.Class), terminal.Grouped(p.Terms), terminal.Counted(class.Docs, "document", "documents")))
}
