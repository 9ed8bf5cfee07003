// Package numbergame has the number game, in which a concept is a set of numbers from 1 to
// 100 and a few of them are told: the hypotheses and priors of J. B. Tenenbaum and of
// K. P. Murphy.
package numbergame

import (
	"fmt"
	"math"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
)

// Numbers is the greatest number.
const Numbers = 100

// set is a hypothesis as the list of its members.
type set struct {
	name    string
	members []int
}

// where returns the set of the numbers for which in is true.
func where(name string, in func(int) bool) set {
	s := set{name: name}
	for n := 1; n <= Numbers; n++ {
		if in(n) {
			s.members = append(s.members, n)
		}
	}
	return s
}

func multiples(of int) set {
	return where(fmt.Sprintf("multiples of %d", of), func(n int) bool { return n%of == 0 })
}

func endsIn(digit int) set {
	return where(fmt.Sprintf("ends in %d", digit), func(n int) bool { return n%10 == digit })
}

// powers begin with the first: 1 is no power of 2 here, so that there are six.
func powers(of int) set {
	return where(fmt.Sprintf("powers of %d", of), func(n int) bool {
		for p := of; p <= n; p *= of {
			if p == n {
				return true
			}
		}
		return false
	})
}

func squares() set {
	return where("squares", func(n int) bool {
		root := int(math.Sqrt(float64(n)) + .5)
		return root*root == n
	})
}

func isPrime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return n > 1
}

// murphy is the space and the prior of the figures of Murphy, Machine Learning: A
// Probabilistic Perspective, section 3.2: 32 hypotheses, where even and odd are five
// times as probable as others, and two unnatural ones a hundredth as probable. The
// figures' own program, numbersGame.m of the book's PMTK3, has .5, .1 and .001.
func murphy() ([]set, []float64) {
	list := []set{multiples(2), where("odd", func(n int) bool { return n%2 == 1 }), squares()}
	list[0].name = "even"
	for of := 3; of <= 10; of++ {
		list = append(list, multiples(of))
	}
	for digit := 1; digit <= 9; digit++ {
		list = append(list, endsIn(digit))
	}
	for of := 2; of <= 10; of++ {
		list = append(list, powers(of))
	}
	list = append(list,
		where("all", func(int) bool { return true }),
		set{"powers of 2, plus 37", []int{2, 4, 8, 16, 32, 37, 64}},
		set{"powers of 2, except 32", []int{2, 4, 8, 16, 64}})
	prior := make([]float64, len(list))
	for i := range prior {
		prior[i] = .1
	}
	prior[0], prior[1] = .5, .5
	prior[30], prior[31] = .001, .001
	return list, prior
}

// tenenbaum is the larger space of Tenenbaum 1999, as numbersGame.m has it: 34 rules,
// and all 5,050 intervals. The prior is the mixture
//
//	p(h) = λ p_rules(h) + (1-λ) p_intervals(h)
//
// with λ = 2/3, all rules as probable, and intervals by their length l as the Erlang
// density l/σ² exp(-l/σ), σ = 10.
func tenenbaum() ([]set, []float64, error) {
	list := []set{multiples(2), where("odd", func(n int) bool { return n%2 == 1 }), squares(),
		{"cubes", []int{1, 8, 27, 64}}, where("primes", isPrime)}
	list[0].name = "even"
	for of := 3; of <= 12; of++ {
		list = append(list, multiples(of))
	}
	for of := 2; of <= 10; of++ {
		list = append(list, powers(of))
	}
	for digit := 0; digit <= 9; digit++ {
		list = append(list, endsIn(digit))
	}
	rules := make([]float64, len(list), len(list)+Numbers*(Numbers+1)/2)
	intervals := make([]float64, len(list), cap(rules))
	for i := range rules {
		rules[i] = 1
	}
	for from := 1; from <= Numbers; from++ {
		for to := from; to <= Numbers; to++ {
			name := fmt.Sprintf("from %d to %d", from, to)
			list = append(list, where(name, func(n int) bool { return from <= n && n <= to }))
			length := float64(to - from + 1)
			rules = append(rules, 0)
			intervals = append(intervals, length*math.Exp(-length/10))
		}
	}
	logPrior, err := concept.Mixture([]float64{2. / 3, 1. / 3}, rules, intervals)
	return list, logPrior, err
}

// space makes the Space of the sets.
func space(list []set, logPrior []float64) *concept.Space[int] {
	s := &concept.Space[int]{LogPrior: logPrior}
	for _, h := range list {
		var in [Numbers + 1]bool
		for _, n := range h.members {
			in[n] = true
		}
		has := func(n int) bool { return n >= 0 && n <= Numbers && in[n] }
		s.Hypotheses = append(s.Hypotheses, concept.Hypothesis[int]{Name: h.name, Size: float64(len(h.members)), Has: has})
	}
	return s
}

// Murphy returns the small space: 32 rules.
func Murphy() *concept.Space[int] {
	list, prior := murphy()
	logPrior := make([]float64, len(prior))
	for i, p := range prior {
		logPrior[i] = math.Log(p)
	}
	return space(list, logPrior)
}

// Tenenbaum returns the large space: 34 rules and all intervals.
func Tenenbaum() (*concept.Space[int], error) {
	list, logPrior, err := tenenbaum()
	return space(list, logPrior), err
}
