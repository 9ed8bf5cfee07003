// Package numbergame has the number game, in which a concept is a set of numbers from 1 to
// 100 and a few of them are told: the hypotheses and priors of J. B. Tenenbaum and of
// K. P. Murphy.
package numbergame

import (
	"fmt"
	"math"
	"slices"

	"github.com/polya-classifier/polya/cmd/polya-lab/internal/concept"
)

// Numbers is the greatest number.
const Numbers = 100

// space collects the sets of the numbers for which in is true.
type space struct{ concept.Space[int] }

func (s *space) where(name string, prior float64, in func(int) bool) {
	size := 0.
	for n := 1; n <= Numbers; n++ {
		if in(n) {
			size++
		}
	}
	s.Hypotheses = append(s.Hypotheses, concept.Hypothesis[int]{Name: name, Size: size, Prior: prior, Has: func(n int) bool { return 1 <= n && n <= Numbers && in(n) }})
}

func (s *space) list(name string, prior float64, members ...int) {
	s.where(name, prior, func(n int) bool { return slices.Contains(members, n) })
}

func (s *space) parity(prior float64) {
	s.where("even", prior, func(n int) bool { return n%2 == 0 })
	s.where("odd", prior, func(n int) bool { return n%2 == 1 })
}

func (s *space) squares(prior float64) {
	s.where("squares", prior, func(n int) bool {
		root := int(math.Sqrt(float64(n)) + .5)
		return root*root == n
	})
}

func (s *space) multiples(most int, prior float64) {
	for of := 3; of <= most; of++ {
		s.where(fmt.Sprintf("multiples of %d", of), prior, func(n int) bool { return n%of == 0 })
	}
}

func (s *space) endings(least int, prior float64) {
	for digit := least; digit <= 9; digit++ {
		s.where(fmt.Sprintf("ends in %d", digit), prior, func(n int) bool { return n%10 == digit })
	}
}

// powers begin with the first: 1 is no power of 2 here, so that there are six.
func (s *space) powers(prior float64) {
	for of := 2; of <= 10; of++ {
		s.where(fmt.Sprintf("powers of %d", of), prior, func(n int) bool {
			power := of
			for power < n {
				power *= of
			}
			return power == n
		})
	}
}

// Murphy returns the space and the prior of the figures of Murphy, Machine Learning: A
// Probabilistic Perspective, section 3.2: 32 hypotheses, where even and odd are five
// times as probable as others, and two unnatural ones a hundredth as probable. The
// figures' own program, numbersGame.m of the book's PMTK3, has .5, .1 and .001.
func Murphy() *concept.Space[int] {
	var s space
	s.parity(.5)
	s.squares(.1)
	s.multiples(10, .1)
	s.endings(1, .1)
	s.powers(.1)
	s.where("all", .1, func(int) bool { return true })
	s.list("powers of 2, plus 37", .001, 2, 4, 8, 16, 32, 37, 64)
	s.list("powers of 2, except 32", .001, 2, 4, 8, 16, 64)
	return &s.Space
}

// Tenenbaum returns the larger space of Tenenbaum 1999, as numbersGame.m has it: 34 rules,
// and all 5,050 intervals. The prior is the mixture
//
//	p(h) = λ p_rules(h) + (1-λ) p_intervals(h)
//
// with λ = 2/3, all rules as probable, and intervals by their length l as the Erlang
// density l/σ² exp(-l/σ), σ = 10.
func Tenenbaum() *concept.Space[int] {
	const rules = 34
	const rule = 2. / 3 / rules
	var s space
	s.parity(rule)
	s.squares(rule)
	s.list("cubes", rule, 1, 8, 27, 64)
	s.where("primes", rule, func(n int) bool {
		for d := 2; d*d <= n; d++ {
			if n%d == 0 {
				return false
			}
		}
		return n > 1
	})
	s.multiples(12, rule)
	s.powers(rule)
	s.endings(0, rule)
	density := func(length int) float64 { return float64(length) * math.Exp(-float64(length)/10) }
	sum := 0.
	for length := 1; length <= Numbers; length++ {
		sum += float64(Numbers-length+1) * density(length)
	}
	for from := 1; from <= Numbers; from++ {
		for to := from; to <= Numbers; to++ {
			s.where(fmt.Sprintf("from %d to %d", from, to), density(to-from+1)/(3*sum), func(n int) bool { return from <= n && n <= to })
		}
	}
	return &s.Space
}
