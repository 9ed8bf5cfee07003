package plots

import "github.com/polya-classifier/polya/cmd/internal/evaluation"

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
	c := chart{height: chartHeight, x: shares("recall"), y: shares("precision")}
	for i, l := range curves {
		c.line(l.index, l.points...)
		d, all := list[i].decided, list[i].roc.Positives
		if said := d.TruePositives + d.FalsePositives; said > 0 {
			c.marks(l.index, point{float64(d.TruePositives) / float64(all), float64(d.TruePositives) / float64(said)})
		}
	}
	return c.figure(caption, curves...)
}

func precisions(m tradeoff) []point {
	var points []point
	for i := 1; i < len(m.roc.Points); i++ {
		points = append(points, point{m.roc.Recall(i), m.roc.Precision(i)})
	}
	return thinned(points, func(p point) (x, y float64) { return cellsPerAxis * p.X, cellsPerAxis * p.Y })
}
