package classify

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Prior says how probable classes are before a document is read: as they were
// learned, all the same, or as given. Posteriors that were calibrated on what was
// learned are corrected by the ratio of the two priors.
type Prior struct {
	// Uniform has all classes equally probable.
	Uniform bool

	// Given are the probabilities of some classes. The others share what is left
	// in proportion to their documents, or equally if Uniform is set too. What is
	// given of a class that the database does not have has no effect.
	Given map[string]float64
}

func (p *Prior) check() error {
	sum := 0.0
	for _, class := range slices.Sorted(maps.Keys(p.Given)) {
		v := p.Given[class]
		if !(v > 0 && v < 1) {
			return fmt.Errorf("prior of %s %v: want more than 0 and less than 1", class, v)
		}
		sum += v
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("priors sum to %v: want at most 1", sum)
	}
	return nil
}

// ParsePrior reads "empirical", "uniform" or a list "CLASS=PROBABILITY,…".
func ParsePrior(s string) (Prior, error) {
	switch s {
	case "", "empirical":
		return Prior{}, nil
	case "uniform":
		return Prior{Uniform: true}, nil
	}
	p := Prior{Given: make(map[string]float64)}
	for item := range strings.SplitSeq(s, ",") {
		at := strings.LastIndexByte(item, '=')
		if at <= 0 {
			return p, fmt.Errorf("prior %.80q: want empirical, uniform or CLASS=PROBABILITY,…", s)
		}
		v, err := strconv.ParseFloat(item[at+1:], 64)
		if err != nil {
			return p, fmt.Errorf("prior %.80q: %.20q is no number", s, item[at+1:])
		}
		p.Given[item[:at]] = v
	}
	return p, p.check()
}

// shift returns for each class the logarithm of its prior over the one that was
// learned.
func (p *Prior) shift(t Totals) []float64 {
	shift := make([]float64, len(t.Classes))
	if !p.Uniform && len(p.Given) == 0 {
		return shift
	}
	learned := logPrior(t)
	left, rest := 1.0, 0.0 // what is left for the classes not given, and their share of it
	weight := func(c int) float64 {
		if p.Uniform {
			return 1
		}
		return math.Exp(learned[c])
	}
	for c, class := range t.Classes {
		if class.Docs == 0 {
			continue
		}
		if v, given := p.Given[class.Name]; given {
			left -= v
		} else {
			rest += weight(c)
		}
	}
	for c, class := range t.Classes {
		if class.Docs == 0 {
			continue
		}
		v, given := p.Given[class.Name]
		if !given {
			// Where nothing is left, next to nothing.
			v = max(left, 1e-9) * weight(c) / rest
		}
		shift[c] = math.Log(v) - learned[c]
	}
	return shift
}
