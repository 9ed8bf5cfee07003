package plots

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// presenceClasses is the largest number of classes with a figure.
const presenceClasses = 20

func presenceSection(r *evaluation.Report) section {
	s := section{ID: "presence", Title: "Terms by class",
		Read: "p(term in document | class) of all terms: the share of the documents of a class that have a term (up), the terms in order of how many documents of all classes have them (across). The grey line is the share of all documents. Where a class rises above it, or stays below, a term tells the class."}
	p := r.Presence
	if p == nil || len(p.Classes) == 0 || len(p.Columns) == 0 {
		s.Missing = []string{"No class has terms."}
		return s
	}
	classes := slices.Clone(p.Classes)
	if len(classes) > presenceClasses {
		slices.SortStableFunc(classes, func(a, b evaluation.ClassPresence) int { return int(int64(b.Docs) - int64(a.Docs)) })
		classes = classes[:presenceClasses]
		s.Notes = append(s.Notes, fmt.Sprintf("Of %d classes these are the %d with the most documents.", len(p.Classes), presenceClasses))
	}
	if last := p.Columns[len(p.Columns)-1]; last.Last > len(p.Columns) {
		s.Notes = append(s.Notes, "Where terms are closer together than a line, a line reaches to the greatest share of a term among them; the grey line is their mean.")
	}
	for i := range classes {
		s.Figures = append(s.Figures, presenceFigure(p, &classes[i]))
	}
	return s
}

// presenceFigure draws the greatest share of each column as an upright line, and the mean
// share of all documents as a grey one.
func presenceFigure(p *evaluation.Presence, class *evaluation.ClassPresence) figure {
	caption := fmt.Sprintf("%s: %s terms, %s", printable(class.Class), terminal.Grouped(p.Terms), terminal.Counted(int(class.Docs), "document", "documents"))
	c := newChart("term, by document frequency", "share of documents")
	c.x.low, c.x.high = .5, float64(p.Terms)+.5
	if p.Terms > len(p.Columns) {
		logarithmic(&c.x, .8, float64(p.Terms), terminal.Grouped[float64])
	} else {
		linear(&c.x, 0, float64(p.Terms)+1, niceStep(float64(p.Terms)+1, 5), terminal.Grouped[float64])
	}
	linear(&c.y, 0, 1, .2, percent)
	c.grid = true
	c.add(func(to *canvas, f field) {
		for k, column := range p.Columns {
			if k < len(class.Greatest) && areFinite(class.Greatest[k]) && class.Greatest[k] > 0 {
				x := columnPlace(column)
				to.line(stroke{colour: series[0], width: .5}, f.at(point{x, 0}), f.at(point{x, class.Greatest[k]}))
			}
		}
	})
	var all []point
	for _, column := range p.Columns {
		all = append(all, point{columnPlace(column), column.Share})
	}
	c.add(func(to *canvas, f field) { to.line(stroke{colour: grey, width: 1.1}, f.all(finite(all))...) })
	return drawn(c, figureWidth, figureHeight-70, caption)
}

// columnPlace returns the position of a column: the geometric mean of its ranks.
func columnPlace(c evaluation.PresenceColumn) float64 {
	return math.Sqrt(float64(c.First) * float64(c.Last))
}
