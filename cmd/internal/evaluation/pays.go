package evaluation

import "math"

// PaysOver reports whether the first model of r, on the documents of base, both errs less and
// has less log loss than the first model of base, each by more than twice the standard error
// of the difference.
func (r *Report) PaysOver(base *Report) bool {
	right, loss := rightAndLoss(r.Models[0].Results)
	baseRight, baseLoss := rightAndLoss(base.Models[0].Results)
	return isSurelyPositive(less(right, baseRight)) && isSurelyPositive(less(baseLoss, loss))
}

// isSurelyPositive reports whether the mean of d is more than twice its standard error.
func isSurelyPositive(d []float64) bool {
	sum, squares, n := 0., 0., float64(len(d))
	for _, x := range d {
		sum, squares = sum+x, squares+x*x
	}
	return sum > 2*math.Sqrt(squares-sum*sum/n)
}
