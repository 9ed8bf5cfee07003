package eval

import (
	"math"
	"sort"

	"github.com/polya-classifier/polya/internal/numeric"
)

// Epsilon bounds ClippedLoss, 2^-52, as in scikit-learn's log_loss: the worst loss of a
// document is 36.04 nats.
const Epsilon = 0x1p-52

// Bins is the number of bins of ECE.
const Bins = 15

// LogLoss returns the mean of ClippedLoss. Uniform probabilities of k classes have log k.
func (r *Results) LogLoss() float64 { return r.mean((*Answer).ClippedLoss) }

// ClippedLoss returns -log p in nats, with the posterior probability p of the true class
// clipped to
//
//	min(max(p, Epsilon), 1 - Epsilon)
//
// scikit-learn divides by the clipped sum too, which differs by less than classes × Epsilon.
func (a *Answer) ClippedLoss() float64 { return clippedLoss(a.Posterior[a.Class]) }

func clippedLoss(p float64) float64 { return -math.Log(min(max(p, Epsilon), 1-Epsilon)) }

// Brier returns the mean squared distance of the posterior from the truth, summed
// over the classes (Brier 1950),
//
//	1/n Σ_d Σ_c (p_dc - y_dc)²
//
// where y_dc is 1 if c is the true class of document d, otherwise 0. It is between 0 and
// 2: for two classes, twice scikit-learn's brier_score_loss.
func (r *Results) Brier() float64 { return r.mean(brier) }

func brier(a *Answer) float64 {
	miss := 1 - a.Posterior[a.Class]
	sum := miss * miss
	for c, p := range a.Posterior {
		if c != a.Class {
			sum += p * p
		}
	}
	return sum
}

// Bin is one bar of a reliability diagram: the documents with a probability above Low, up
// to and including High. The first bin includes 0, too.
type Bin struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	// Docs is the number of documents.
	Docs int `json:"docs"`

	// Probability is the mean of their probabilities, 0 if there are none.
	Probability float64 `json:"probability"`

	// Frequency is the fraction of them that are of the class with that probability, 0 if
	// there are none, and FrequencyLow and FrequencyHigh its Wilson interval.
	Frequency     float64 `json:"frequency"`
	FrequencyLow  float64 `json:"frequency_low"`
	FrequencyHigh float64 `json:"frequency_high"`
}

// Reliability is a reliability diagram: bins of equal width from 0 to 1. For calibrated
// probabilities, the frequency of a bin equals its probability.
type Reliability []Bin

// Reliability returns the diagram of the top probability of each document, with the
// frequency of the top class being the true one. Decisions do not matter. It panics if
// bins is not positive.
func (r *Results) Reliability(bins int) Reliability {
	if bins <= 0 {
		panic("eval: no bins")
	}
	diagram := make(Reliability, bins)
	for b := range diagram {
		diagram[b].Low, diagram[b].High = float64(b)/float64(bins), float64(b+1)/float64(bins)
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		top := numeric.Top(a.Posterior)
		bin := diagram.find(a.Posterior[top])
		bin.Docs++
		bin.Probability += a.Posterior[top]
		if top == a.Class {
			bin.Frequency++
		}
	}
	for b := range diagram {
		bin := &diagram[b]
		if n := float64(bin.Docs); n > 0 {
			bin.Probability /= n
			bin.Frequency /= n
		}
		bin.FrequencyLow, bin.FrequencyHigh = Wilson(bin.Frequency, bin.Docs)
	}
	return diagram
}

func (d Reliability) find(p float64) *Bin {
	return &d[sort.Search(len(d)-1, func(b int) bool { return p <= d[b].High })]
}

// ECE returns the expected calibration error of the bins,
//
//	Σ_b n_b/n |frequency_b - probability_b|
//
// NaN if there are no documents.
func (d Reliability) ECE() float64 {
	var sum, n float64
	for _, bin := range d {
		sum += float64(bin.Docs) * math.Abs(bin.Frequency-bin.Probability)
		n += float64(bin.Docs)
	}
	return sum / n
}

// ECE returns the expected calibration error of the top probabilities in 15 bins of
// equal width (Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural
// Networks", 2017). For another number of bins, see Reliability.
func (r *Results) ECE() float64 { return r.Reliability(Bins).ECE() }

// normal95 is the 0.975 quantile of the standard normal distribution.
const normal95 = 1.959963984540054

// Wilson returns the 95 % score interval of a frequency f of n documents,
//
//	(f + z²/2n ± z √(f(1-f)/n + z²/4n²)) / (1 + z²/n),  z = 1.96
//
// (Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
// the American Statistical Association 22, 1927). It is 0 to 1 if there are no documents.
func Wilson(f float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	m, z2 := float64(n), normal95*normal95
	middle := f + z2/(2*m)
	width := normal95 * math.Sqrt(f*(1-f)/m+z2/(4*m*m))
	low, high = (middle-width)/(1+z2/m), (middle+width)/(1+z2/m)
	if f == 0 {
		low = 0 // exact, unlike the rounded formula
	}
	if f == 1 {
		high = 1
	}
	return max(low, 0), min(high, 1)
}
