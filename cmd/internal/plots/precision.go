package plots

import (
	"github.com/polya-classifier/polya/cmd/internal/evaluation"
)

func precisionSection(r *evaluation.Report) section {
	return tradeoffSection(r, precisionFigure, section{ID: "precision", Title: "Precision and recall",
		Read: "What share of the documents that are called positive is (up), where so large a share of the positives is (across): upper right is better. The mark is what was said."})
}

// precisionFigure draws precision against recall. Every curve has positives.
func precisionFigure(caption string, list []tradeoff) figure {
	var curves []curve
	for _, m := range list {
		curves = append(curves, curve{m.name, m.index, precisions(m)})
	}
	p := newChart("recall", "precision")
	linear(&p.x, 0, 1, .2, percent)
	linear(&p.y, 0, 1, .2, percent)
	p.grid = true
	add(p, curves, false, false)
	for _, m := range list {
		if said := m.decided.TruePositives + m.decided.FalsePositives; said > 0 {
			p.add(marks(m.index, []point{{float64(m.decided.TruePositives) / float64(m.roc.Positives),
				float64(m.decided.TruePositives) / float64(said)}}))
		}
	}
	f := drawn(p, figureWidth, figureHeight+40, caption)
	f.Legend = keys(curves, true)
	return f
}

func precisions(m tradeoff) []point {
	var points []point
	for i := 1; i < len(m.roc.Points); i++ {
		points = append(points, point{m.roc.Recall(i), m.roc.Precision(i)})
	}
	return thinned(points, func(p point) (x, y float64) { return cellsPerAxis * p.X, cellsPerAxis * p.Y })
}
