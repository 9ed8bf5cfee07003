package classify

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Costs are what answers cost. The unit is free.
type Costs struct {
	// Of is the cost of saying the second class of a document of the first. What
	// is not listed costs 1 if the classes differ and 0 if not.
	Of map[[2]string]float64

	// Unsure is the cost of no answer; 0 if that is not to be.
	Unsure float64
}

func (k *Costs) check() error {
	if k == nil {
		return nil
	}
	if !(k.Unsure >= 0) || math.IsInf(k.Unsure, 1) {
		return fmt.Errorf("cost of unsure %v: want a number, 0 or more", k.Unsure)
	}
	for pair, cost := range k.Of {
		if !(cost >= 0) || math.IsInf(cost, 1) {
			return fmt.Errorf("cost of saying %s of a document of %s %v: want a number, 0 or more", pair[1], pair[0], cost)
		}
	}
	return nil
}

// of returns the cost of saying class said of a document of class truth.
func (k *Costs) of(truth, said string) float64 {
	if cost, listed := k.Of[[2]string{truth, said}]; listed {
		return cost
	}
	if truth == said {
		return 0
	}
	return 1
}

// ParseCosts reads costs as "TRUTH>SAID=COST" and "unsure=COST": "ham>spam=10"
// is what it costs to call ham spam.
func ParseCosts(list []string) (*Costs, error) {
	k := &Costs{Of: make(map[[2]string]float64)}
	for _, s := range list {
		at := strings.LastIndexByte(s, '=')
		if at < 0 {
			return nil, fmt.Errorf("cost %.80q: want TRUTH>SAID=COST or unsure=COST", s)
		}
		cost, err := strconv.ParseFloat(s[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("cost %.80q: %.20q is no number", s, s[at+1:])
		}
		truth, said, pair := strings.Cut(s[:at], ">")
		switch {
		case pair && truth != "" && said != "":
			k.Of[[2]string{truth, said}] = cost
		case s[:at] == "unsure":
			k.Unsure = cost
		default:
			return nil, fmt.Errorf("cost %.80q: want TRUTH>SAID=COST or unsure=COST", s)
		}
	}
	return k, k.check()
}

func (k *Costs) expected(a *answer, said int) float64 {
	sum := 0.0
	for _, truth := range a.order {
		sum += a.probabilities[truth] * k.of(a.classes[truth].Name, a.classes[said].Name)
	}
	return sum
}
