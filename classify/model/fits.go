package model

import "math"

const (
	// DefaultDCMEpsilon is the ε of the zero DCM. Between .001 and .1 it changes .2 to 1 % of
	// the answers on 20 Newsgroups, Reuters R8 and SpamAssassin, for the better and the worse.
	DefaultDCMEpsilon = 0.01

	// defaultDCMPrecision is the A of every class before any fit. Fits gave 230 to 1,260.
	defaultDCMPrecision = 500

	// MinDCMDocuments is the number of documents that a class needs for its own A. The A of
	// a few documents is mostly noise, and often +Inf.
	MinDCMDocuments = 10
)

// usable reports whether the fit of class c can be used.
func usable(fits []float64, t Totals, c int) bool {
	return c < len(fits) && fits[c] > 0 && t.Classes[c].Docs >= MinDCMDocuments
}

// sharedPrecision returns the A of classes without a usable fit.
func sharedPrecision(fits []float64, t Totals) float64 {
	var sum, docs float64
	infinite := false
	for c, class := range t.Classes {
		switch {
		case !usable(fits, t, c):
		case math.IsInf(fits[c], 1):
			infinite = true
		default:
			sum += float64(class.Docs) * math.Log(fits[c])
			docs += float64(class.Docs)
		}
	}
	switch {
	case docs > 0:
		return math.Exp(sum / docs)
	case infinite:
		return math.Inf(1)
	}
	return defaultDCMPrecision
}
