package page

import (
	"slices"
	"time"

	"github.com/polya-classifier/polya/serve/overview"
)

// well is the data of the screen about accuracy.
type well struct {
	Keeps    bool
	Since    string // of the form
	Record   overview.Record
	Measured *overview.Measured // nil unless it was asked for
	Diagram  chart              // of reliability
	Curve    chart              // of learning
}

func (p *page) well(v *visit) (err error) {
	v.Screen, v.Title = "well", "Accuracy"
	since, text := v.moment("since", time.DateOnly)
	b := &well{Keeps: p.Admin.Keeps(), Since: text}
	if v.Body = b; v.Tags {
		return nil
	}
	if b.Record, err = p.Admin.Record(v, v.User, since); err != nil {
		return err
	}
	if v.query.Has("measure") {
		m, err := p.Admin.Measure(v, v.User)
		if err != nil {
			return err
		}
		b.Measured, b.Diagram, b.Curve = &m, reliabilityOf(m.Reliability), curveOf(m.Curve)
	}
	return nil
}

// shownMistakes is the number of kinds of mistakes that are shown.
const shownMistakes = 20

// mistake is how many of the documents of a class were taken for another.
type mistake struct {
	Class, Taken string
	N, Of        int
}

// Mistakes returns which classes are taken for which, the most frequent first.
func (w *well) Mistakes() (list []mistake) {
	c := &w.Measured.Confusion
	for i, counts := range c.Counts {
		all := 0
		for _, n := range counts {
			all += n
		}
		for j, n := range counts {
			if i != j && n > 0 {
				list = append(list, mistake{c.Classes[i], c.Classes[j], n, all})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b mistake) int { return b.N - a.N })
	return list[:min(len(list), shownMistakes)]
}
