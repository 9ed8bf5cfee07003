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
		read: "p(term in document | class) of the most frequent terms: the share of the documents of a class that have a term (up), the terms in order of how many documents of all classes have them (across). The grey line is the share of all documents. Where a class rises above it, or stays below, a term is informative."}
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
	for i := range classes {
		s.figures = append(s.figures, presenceFigure(p, &classes[i]))
	}
	return s
}

// presenceFigure draws the share of each term as an upright line, and that of all documents as a
// grey one.
func presenceFigure(p *evaluation.Presence, class *evaluation.ClassPresence) figure {
	c := chart{height: chartHeight - 70, y: shares("share of documents"),
		x: logarithmic("term, by document frequency", .8, float64(len(p.Share))+.5, terminal.Grouped[float64])}
	var all []point
	for k, share := range class.Share {
		x := float64(k + 1)
		all = append(all, point{x, p.Share[k]})
		if share > 0 {
			c.rule(colour(0), "", point{x, 0}, point{x, share})
		}
	}
	c.rule(grey, "", all...)
	return c.figure(fmt.Sprintf("%s: %s, %s", printable(class.Class), terminal.Counted(len(p.Share), "term", "terms"), terminal.Counted(class.Docs, "document", "documents")))
}
