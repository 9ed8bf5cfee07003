package decision

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// defaultPriorAlpha is the α of the zero Prior: one document is added to each class.
const defaultPriorAlpha = 1

// Prior is the prior probability of the classes: estimated from the learned documents,
// uniform, or given. Of C classes with D_c of D documents the estimate is the posterior mean
// under a symmetric Dirichlet prior,
//
//	(D_c + α) / (D + Cα)
//
// The zero Prior has α = 1: it adds one document to each class and is not the relative
// frequency. Classes without documents are left out and have none.
//
// Calibrated posteriors are corrected by the ratio of the prior to the zero Prior.
type Prior struct {
	// Uniform makes all classes equally probable.
	Uniform bool

	// MaximumLikelihood uses the relative frequencies D_c/D, α = 0.
	MaximumLikelihood bool

	// Alpha is α, above 0; zero means 1. It excludes Uniform and MaximumLikelihood.
	Alpha float64

	// Given are the probabilities of some classes. The others share the rest in proportion
	// to their estimates, or equally if Uniform is set too. A probability for a class that
	// the database does not have has no effect.
	Given map[string]float64
}

// IsDefault returns whether p is the zero Prior, which changes no posterior.
func (p *Prior) IsDefault() bool {
	return !p.Uniform && !p.MaximumLikelihood && cmp.Or(p.Alpha, defaultPriorAlpha) == defaultPriorAlpha && len(p.Given) == 0
}

func (p *Prior) check() error {
	switch {
	case p.Uniform && p.MaximumLikelihood:
		return errors.New("want a uniform prior or relative frequencies, not both")
	case (p.Uniform || p.MaximumLikelihood) && p.Alpha != 0:
		return errors.New("only an estimated prior has an alpha: want none beside uniform or ml")
	}
	if alpha := cmp.Or(p.Alpha, defaultPriorAlpha); !(alpha > 0 && alpha <= 1e9) {
		return fmt.Errorf("alpha of the prior=%v: want a number above 0, at most 1e+09", alpha)
	}
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

// ParsePrior reads "empirical", the zero Prior; "dirichlet:α" with another α, as in
// dirichlet:0.5; "ml", relative frequencies; "uniform"; or a list "CLASS=PROBABILITY,…".
// A class with a comma in its name is written as a Go string in double quotes.
func ParsePrior(s string) (Prior, error) {
	switch s {
	case "", "empirical":
		return Prior{}, nil
	case "ml":
		return Prior{MaximumLikelihood: true}, nil
	case "uniform":
		return Prior{Uniform: true}, nil
	}
	if alpha, ok := strings.CutPrefix(s, "dirichlet:"); ok && !strings.Contains(s, "=") {
		v, err := strconv.ParseFloat(alpha, 64)
		if err != nil || v == 0 {
			return Prior{}, fmt.Errorf("prior %.80q: want dirichlet:ALPHA with a number above 0", s)
		}
		p := Prior{Alpha: v}
		return p, p.check()
	}
	p := Prior{Given: make(map[string]float64)}
	for left, more := s, true; more; {
		class, rest := "", left
		if name, behind := cutClass(left, ","); strings.HasPrefix(behind, "=") {
			class, rest = name, behind // it stood in quotes
		}
		var item string
		item, left, more = strings.Cut(rest, ",")
		at := strings.LastIndexByte(item, '=')
		if at > 0 && class == "" {
			class = item[:at]
		} else if at != 0 || class == "" {
			return p, fmt.Errorf("prior %.80q: want empirical, ml, dirichlet:ALPHA, uniform or CLASS=PROBABILITY,…", s)
		}
		v, err := strconv.ParseFloat(item[at+1:], 64)
		if err != nil {
			return p, fmt.Errorf("prior %.80q: %.20q is no number", s, item[at+1:])
		}
		p.Given[class] = v
	}
	return p, p.check()
}

// weight returns a number proportional to the prior of a class with documents that is not given.
func (p *Prior) weight(docs uint64) float64 {
	switch {
	case p.Uniform:
		return 1
	case p.MaximumLikelihood:
		return float64(docs)
	}
	return float64(docs) + cmp.Or(p.Alpha, defaultPriorAlpha)
}

// LogPrior returns for each class
//
//	log((D_c + 1) / (D + C))
//
// with D_c the documents of the class, D all documents, and C the number of classes with
// documents, so that the priors of these sum to 1. A class without documents has -Inf; if
// no class has documents, all have -Inf.
func LogPrior(classes []*count.Class) []float64 {
	prior := make([]float64, len(classes))
	var total float64
	for _, class := range classes {
		if class.Docs > 0 {
			total += float64(class.Docs) + 1
		}
	}
	for c, class := range classes {
		prior[c] = math.Inf(-1)
		if class.Docs > 0 {
			prior[c] = math.Log((float64(class.Docs) + 1) / total)
		}
	}
	return prior
}

// Shift returns for each class the logarithm of its prior over the zero Prior.
func (p *Prior) Shift(classes []*count.Class) []float64 {
	shift := make([]float64, len(classes))
	if p.IsDefault() {
		return shift
	}
	learned := LogPrior(classes)
	left, rest := 1.0, 0.0 // the probability left for the classes not given, and the sum of their weights
	for _, class := range classes {
		if class.Docs == 0 {
			continue
		}
		if v, given := p.Given[class.Name]; given {
			left -= v
		} else {
			rest += p.weight(class.Docs)
		}
	}
	for c, class := range classes {
		if class.Docs == 0 {
			continue
		}
		v, given := p.Given[class.Name]
		if !given {
			// If nothing is left, next to nothing.
			v = max(left, 1e-9) * p.weight(class.Docs) / rest
		}
		shift[c] = math.Log(v) - learned[c]
	}
	return shift
}
