package model

import "math"

// quickLog returns log x for a positive, normal x, to within 1e-10: an answer
// takes it a few thousand times. The mantissa is divided by the nearest of 256
// whose logarithms are in a table, and a few terms of log(1+r) do for what is
// left, |r| < 2^-8.
func quickLog(x float64) float64 {
	bits := math.Float64bits(x)
	exponent := int(bits>>52) - 1023
	at := bits >> 44 & 0xff
	mantissa := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	r := mantissa*quickInverse[at] - 1
	return float64(exponent)*math.Ln2 + quickLogs[at] + r*(1-r*(0.5-r*(1./3-r*0.25)))
}

// quickInverse[i] is about 1/m and quickLogs[i] is -log of it, m = 1 + (i+½)/256.
var quickInverse, quickLogs = func() (inverse, logs [256]float64) {
	for i := range inverse {
		inverse[i] = 1 / (1 + (float64(i)+0.5)/256)
		logs[i] = -math.Log(inverse[i])
	}
	return inverse, logs
}()
