// Package overlap measures how similar the classes are by one attribute of their
// documents. An attribute with the same distribution in all classes does not help to
// distinguish them.
package overlap

import (
	"context"
	"math"
	"slices"

	"github.com/polya-classifier/polya/store"
	"github.com/polya-classifier/polya/store/count"
)

// Mean returns the mean similarity of all pairs of classes by an attribute of the
// snapshot s,
//
//	Σ_{b<c} n_b n_c l_bc / Σ_{b<c} n_b n_c,  l_bc = ∫ min(p_b(x), p_c(x)) dx
//
// with p_c the density of the attribute's values in class c, for categories a sum (Inman and
// Bradley, "The overlapping coefficient as a measure of agreement between probability
// distributions", Communications in Statistics 18, 1989), and n_c the documents of class c that
// have the attribute. It is 0 if the attribute separates every two classes,
// and 1 if it has the same distribution in all, or fewer than two have it.
//
// The shares of categories and of yes are the relative frequencies. Categories of a
// single document are merged into one: otherwise unique values, such as numbers or
// titles, would seem to separate all classes. The density of a real is the Gaussian with
// the class's mean and variance; a uniform is uniform up to the class's greatest value.
// It ends early with the error of ctx.
func Mean(ctx context.Context, s *store.Snapshot, a *count.AttributeTotals) (float64, error) {
	o := overlaps{a: a}
	for c := range a.Classes {
		if a.Classes[c].N > 0 {
			o.classes = append(o.classes, c)
		}
	}
	if len(o.classes) < 2 {
		return 1, nil
	}
	switch a.Kind {
	case count.Category:
		return o.categories(ctx, s)
	case count.YesNo:
		return o.mean(o.yes), nil
	case count.Real:
		return o.gaussians(), nil
	}
	return o.mean(o.uniforms), nil
}

// overlaps computes the similarities of pairs of classes.
type overlaps struct {
	a       *count.AttributeTotals
	classes []int // classes that have the attribute
}

func (o *overlaps) categories(ctx context.Context, s *store.Snapshot) (float64, error) {
	pairs := make(map[[2]int]float64) // of classes b < c
	once := make([]uint64, len(o.a.Classes))
	err := s.EachValue(o.a.Name, func(_ *count.Attribute, counts []uint64) error {
		sum, last := uint64(0), 0
		for c, n := range counts {
			if sum += n; n > 0 {
				last = c
			}
		}
		if sum == 1 {
			once[last]++
		} else {
			o.category(pairs, counts)
		}
		return ctx.Err()
	})
	o.category(pairs, once)
	return o.mean(func(b, c int) float64 { return pairs[[2]int{b, c}] }), err
}

// category adds the overlap of classes in a category to pairs, the lesser share.
func (o *overlaps) category(pairs map[[2]int]float64, counts []uint64) {
	have := slices.DeleteFunc(slices.Clone(o.classes), func(c int) bool { return counts[c] == 0 })
	share := func(c int) float64 { return float64(counts[c]) / float64(o.a.Classes[c].N) }
	for i, b := range have {
		for _, c := range have[i+1:] {
			pairs[[2]int{b, c}] += min(share(b), share(c))
		}
	}
}

func (o *overlaps) yes(b, c int) float64 {
	p := float64(o.a.Classes[b].Yes) / float64(o.a.Classes[b].N)
	q := float64(o.a.Classes[c].Yes) / float64(o.a.Classes[c].N)
	return 1 - math.Abs(p-q)
}

// varianceFloor is the share of the total variance that is added to the variance of each
// class, so that none is 0.
const varianceFloor = 1e-9

// gaussians computes mean and variance of each class once, from exact sums, and relative
// to the total mean and variance, so that no square over- or underflows.
func (o *overlaps) gaussians() float64 {
	all := o.a.Pooled()
	middle, width := all.Mean(), math.Sqrt(all.Deviations()/float64(all.N))
	if width == 0 {
		return 1
	}
	means, variances := make([]float64, len(o.a.Classes)), make([]float64, len(o.a.Classes))
	for _, c := range o.classes {
		cell := &o.a.Classes[c]
		deviation := math.Sqrt(cell.Deviations()/float64(cell.N)) / width
		means[c], variances[c] = (cell.Mean()-middle)/width, deviation*deviation+varianceFloor
	}
	return o.mean(func(b, c int) float64 { return gaussianOverlap(means[b], variances[b], means[c], variances[c]) })
}

func (o *overlaps) uniforms(b, c int) float64 {
	x, y := o.a.Classes[b].Greatest, o.a.Classes[c].Greatest
	if x == y {
		return 1
	}
	return min(x, y) / max(x, y)
}

// mean returns the weighted mean of f over all pairs.
func (o *overlaps) mean(f func(b, c int) float64) float64 {
	sum, all := 0.0, 0.0
	for i, b := range o.classes {
		for _, c := range o.classes[i+1:] {
			weight := float64(o.a.Classes[b].N) * float64(o.a.Classes[c].N)
			sum += weight * f(b, c)
			all += weight
		}
	}
	return sum / all
}

// gaussianOverlap returns ∫ min(p, q) of two Gaussians with mean m and variance v > 0. With
// v_p ≤ v_q, p is the greater between the two roots of
//
//	log v_p + (x-m_p)²/v_p = log v_q + (x-m_q)²/v_q
//
// and the smaller beyond them. Equal variances have one root, the middle.
func gaussianOverlap(mp, vp, mq, vq float64) float64 {
	if vp > vq {
		mp, vp, mq, vq = mq, vq, mp, vp
	}
	d := mq - mp
	if vq-vp <= 1e-12*vq {
		return math.Erfc(math.Abs(d) / math.Sqrt(8*vq))
	}
	// With x from m_p: (v_q - v_p) x² + 2 v_p d x - v_p d² - v_p v_q log(v_q/v_p) = 0.
	a, b := vq-vp, vp*d
	root := math.Sqrt(b*b + a*vp*(d*d+vq*math.Log(vq/vp)))
	low, high := (-b-root)/a, (-b+root)/a
	inside := normalBetween((low-d)/math.Sqrt(vq), (high-d)/math.Sqrt(vq))
	return inside + 1 - normalBetween(low/math.Sqrt(vp), high/math.Sqrt(vp))
}

// normalBetween returns the probability that a standard normal variable is between low and high.
func normalBetween(low, high float64) float64 {
	return (math.Erfc(low/math.Sqrt2) - math.Erfc(high/math.Sqrt2)) / 2
}
