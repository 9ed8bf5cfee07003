package model

import (
	"math"
	"sync"
)

// smoothedLogs computes log(n + α), from a table for the small n of most cells.
type smoothedLogs struct {
	alpha float64
	small [2048]float64
}

// smoothedLogsKept are the tables made so far, by α: leave-one-out prepares a
// scorer for every document.
var smoothedLogsKept sync.Map

func smoothedLogsOf(alpha float64) *smoothedLogs {
	if l, ok := smoothedLogsKept.Load(alpha); ok {
		return l.(*smoothedLogs)
	}
	l := &smoothedLogs{alpha: alpha}
	for n := range l.small {
		l.small[n] = math.Log(float64(n) + alpha)
	}
	kept, _ := smoothedLogsKept.LoadOrStore(alpha, l)
	return kept.(*smoothedLogs)
}

// quick returns log(n + α) to within 1e-10.
func (l *smoothedLogs) quick(n uint64) float64 {
	if n < uint64(len(l.small)) {
		return l.small[n]
	}
	return quickLog(float64(n) + l.alpha)
}

// quickLog returns log x for a positive, normal x, to within 1e-10: an answer needs it a
// few thousand times. The mantissa is divided by the nearest of 256 numbers whose
// logarithms are in a table, and a few terms of the series of log(1+r), |r| < 2^-8, give
// the rest.
func quickLog(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1023
	at := bits >> 44 & 0xff
	mantissa := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	r := mantissa*quickInverse[at] - 1
	return float64(exponent)*math.Ln2 + quickLogs[at] + r*(1-r*(0.5-r*(1./3-r*0.25)))
}

// quickInverse[i] is about 1/m and quickLogs[i] is -log of it, m = 1 + (i+½)/256.
var quickInverse, quickLogs [256]float64

func init() {
	for i := range quickInverse {
		quickInverse[i] = 1 / (1 + (float64(i)+0.5)/256)
		quickLogs[i] = -math.Log(quickInverse[i])
	}
}
