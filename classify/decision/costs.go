package decision

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polya-classifier/polya/store/count"
)

// Costs are the costs of answers, in any unit. They must not be changed while a
// Classifier uses them.
type Costs struct {
	// Pairs holds the cost of answering the second class for a document of the first. An
	// unlisted pair costs 1 if the classes differ and 0 if not. A pair with a class that the
	// database does not have, or that has no documents, has no effect: classes may come
	// later.
	Pairs map[[2]string]float64

	// Unsure is the cost of abstaining; 0 to never abstain.
	Unsure float64
}

func (k *Costs) check() error {
	if !(k.Unsure >= 0) || math.IsInf(k.Unsure, 1) {
		return fmt.Errorf("cost of unsure %v: want a number, 0 or more", k.Unsure)
	}
	for _, pair := range slices.SortedFunc(maps.Keys(k.Pairs), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if cost := k.Pairs[pair]; !(cost >= 0) || math.IsInf(cost, 1) {
			return fmt.Errorf("cost of saying %s of a document of %s %v: want a number, 0 or more", pair[1], pair[0], cost)
		}
	}
	return nil
}

// ParseCosts reads costs as "TRUTH>SAID=COST" and "unsure=COST": "ham>spam=10" is the
// cost of calling ham spam. A class with > in its name is written as a Go string in
// double quotes: "\"a>b\">spam=10".
func ParseCosts(list []string) (Costs, error) {
	k := Costs{Pairs: make(map[[2]string]float64)}
	for _, s := range list {
		at := strings.LastIndexByte(s, '=')
		if at < 0 {
			return Costs{}, fmt.Errorf("cost %.80q: want TRUTH>SAID=COST or unsure=COST", s)
		}
		cost, err := strconv.ParseFloat(s[at+1:], 64)
		if err != nil {
			return Costs{}, fmt.Errorf("cost %.80q: %.20q is no number", s, s[at+1:])
		}
		truth, rest := cutClass(s[:at], ">")
		said, pair := strings.CutPrefix(rest, ">")
		if name, behind := cutClass(said, ""); behind == "" {
			said = name // without its quotes
		}
		switch {
		case pair && truth != "" && said != "":
			k.Pairs[[2]string{truth, said}] = cost
		case s[:at] == "unsure":
			k.Unsure = cost
		default:
			return Costs{}, fmt.Errorf("cost %.80q: want TRUTH>SAID=COST or unsure=COST", s)
		}
	}
	return k, k.check()
}

// CostTable holds Costs by index of the classes that an answer is chosen from.
type CostTable struct {
	listed map[int][]listedCost // by the class answered: in order of truth
}

// listedCost is the cost of answering a class for a document of class truth.
type listedCost struct {
	truth int
	cost  float64
}

// newCostTable returns the costs for the classes, which are in order of name.
func newCostTable(k *Costs, classes []*count.Class) *CostTable {
	t := &CostTable{listed: make(map[int][]listedCost)}
	for pair, cost := range k.Pairs {
		truth, said := count.ClassNamed(classes, pair[0]), count.ClassNamed(classes, pair[1])
		if truth >= 0 && said >= 0 {
			t.listed[said] = append(t.listed[said], listedCost{truth, cost})
		}
	}
	for _, list := range t.listed {
		slices.SortFunc(list, func(a, b listedCost) int { return cmp.Compare(a.truth, b.truth) })
	}
	return t
}

// Expected returns the expected cost of answering the class said where class b has the
// probability p[b],
//
//	Σ_b p_b cost(b, said) = Σ_{b listed} p_b cost(b, said) + rest
//
// with rest the probability of the other unlisted classes except said, which cost 1 each.
// It is computed as 1 - p_said - Σ_{b listed} p_b, from the listed classes alone, or as
// the sum itself where that would lose most digits.
func (t *CostTable) Expected(p []float64, said int) float64 {
	list := t.listed[said]
	sum, rest := 0.0, 1-p[said]
	for _, l := range list {
		sum += p[l.truth] * l.cost
		if l.truth != said {
			rest -= p[l.truth]
		}
	}
	if !(rest > 0.25) {
		rest = 0
		for b, v := range p {
			if len(list) > 0 && list[0].truth == b {
				list = list[1:]
			} else if b != said {
				rest += v
			}
		}
	}
	return sum + rest
}

// cutClass cuts the name of a class from the beginning of s, up to one of the bytes in
// ends, which stay in rest. A name with such bytes is written as a Go string in double
// quotes: "a>b". It is empty if there is none.
func cutClass(s, ends string) (class, rest string) {
	if quoted, err := strconv.QuotedPrefix(s); err == nil && s[0] == '"' {
		if name, err := strconv.Unquote(quoted); err == nil {
			return name, s[len(quoted):]
		}
	}
	if at := strings.IndexAny(s, ends); at >= 0 {
		return s[:at], s[at:]
	}
	return s, ""
}
