package eval

import (
	"math"
	"slices"
	"testing"
)

// The numbers were printed by SciPy 1.10.1:
//
//	from scipy.stats import binomtest
//	binomtest(k, n).proportion_ci(method="wilson")
func TestWilsonIntervalIsSciPys(t *testing.T) {
	for _, x := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 2, 0, .6576197724933469}, {1, 2, .09453120573423074, .9054687942657693}, {2, 2, .34238022750665303, 1},
		{7, 10, .39677814746114526, .892208732593699}, {0, 50, 0, .07134759913335872}, {49, 50, .8950455641036218, .9964607407283538},
		{500, 1000, .4690696003681042, .5309303996318958},
	} {
		low, high := Bin{Docs: x.n, Frequency: float64(x.k) / float64(x.n)}.Interval()
		near(t, "low", low, x.low)
		near(t, "high", high, x.high)
	}
	if low, high := (Bin{}).Interval(); low != 0 || high != 1 {
		t.Errorf("of no documents %v to %v", low, high)
	}
}

// The numbers were printed by scikit-learn 1.2.1:
//
//	t = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1])
//	q = np.array([.9, .1, .8, .35, .4, .35, .999, .8, .02, .6])
//	print(average_precision_score(t, q))
//	print(*[a.tolist() for a in precision_recall_curve(t, q)], sep="\n")
func TestPrecisionAndRecallAreSklearns(t *testing.T) {
	c, err := newROC([]float64{.9, .1, .8, .35, .4, .35, .999, .8, .02, .6},
		[]bool{true, false, true, true, false, false, true, false, false, true})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "average precision", c.AveragePrecision(), .8350000000000001)
	precision := []float64{.5, .5555555555555556, .625, .6666666666666666, .8, .75, 1, 1, 1}
	recall := []float64{1, 1, 1, .8, .8, .6, .4, .2, 0}
	slices.Reverse(precision) // their thresholds rise
	slices.Reverse(recall)
	if len(c.Points) != len(precision) {
		t.Fatalf("%d points, want %d", len(c.Points), len(precision))
	}
	for i := range c.Points {
		near(t, "precision", c.Precision(i), precision[i])
		near(t, "recall", c.Recall(i), recall[i])
	}
	none, err := newROC([]float64{1, 2}, []bool{false, false})
	if err != nil || !math.IsNaN(none.AveragePrecision()) {
		t.Errorf("without positives %v, %v", none.AveragePrecision(), err)
	}
}
