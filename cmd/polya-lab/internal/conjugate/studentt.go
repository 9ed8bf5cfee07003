package conjugate

import "math"

// StudentT is Student's t with Nu degrees of freedom at Mu, with scale Sigma,
//
//	p(x) = Γ((Nu+1)/2)/Γ(Nu/2) (1 + z²/Nu)^(-(Nu+1)/2) / (Sigma √(Nu π)),  z = (x-Mu)/Sigma
//
// Sigma ≥ 0 and Nu > 0. With NaN for a parameter everything is NaN.
type StudentT struct {
	Mu, Sigma, Nu float64
}

// LogProb returns the logarithm of the density at x. With Sigma = 0 it is +Inf at Mu
// and -Inf elsewhere.
func (t StudentT) LogProb(x float64) float64 {
	if t.Sigma == 0 {
		if x == t.Mu {
			return math.Inf(1)
		}
		return math.Inf(-1)
	}
	z := math.Abs(x-t.Mu) / t.Sigma / math.Sqrt(t.Nu)
	log := 2 * math.Log(z) // log(1+z²) where z² may overflow
	if !(z > 1e9) {
		log = math.Log1p(z * z)
	}
	return logRising(t.Nu/2, 0.5) - 0.5*math.Log(t.Nu*math.Pi) - math.Log(t.Sigma) - (t.Nu+1)/2*log
}

// Prob returns the density at x.
func (t StudentT) Prob(x float64) float64 { return math.Exp(t.LogProb(x)) }
