package eval

// Precision returns the fraction of positives among the documents that point i calls
// positive, 1 if there are none, as in scikit-learn's precision_recall_curve.
func (c ROC) Precision(i int) float64 {
	p := c.Points[i]
	if p.TruePositives+p.FalsePositives == 0 {
		return 1
	}
	return float64(p.TruePositives) / float64(p.TruePositives+p.FalsePositives)
}

// Recall returns the fraction of the positives that point i calls positive, NaN if there
// are no positives.
func (c ROC) Recall(i int) float64 { return float64(c.Points[i].TruePositives) / float64(c.Positives) }

// AveragePrecision returns the area under the steps of the precision–recall curve,
//
//	Σ_i (recall_i - recall_{i-1}) precision_i
//
// 0 to 1, as scikit-learn's average_precision_score, without interpolation between
// points. NaN if there are no positives.
func (c ROC) AveragePrecision() float64 {
	sum := 0.
	for i := 1; i < len(c.Points); i++ {
		if gained := c.Points[i].TruePositives - c.Points[i-1].TruePositives; gained > 0 {
			sum += float64(gained) * c.Precision(i)
		}
	}
	return sum / float64(c.Positives)
}
