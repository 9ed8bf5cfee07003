package numbergame

import (
	"fmt"
	"slices"
)

// given are the examples of the figure docs/number-game.svg.
var given = [][]int{{16}, {60}, {16, 8, 2, 64}, {16, 23, 19, 20}}

// The number game: the predictive of each number from 1 to 100, a digit each, from 0
// for less than .1 to 9 for .9 and more, in the space and with the prior of Tenenbaum.
// One example leaves much open; four make a rule, or an interval, of it. The figure
// docs/number-game.svg draws the same.
func ExampleTenenbaum() {
	s := Tenenbaum()
	for _, examples := range given {
		p, err := s.Learn(examples...)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %s (%.3f)\n", examples, s.Hypotheses[largest(p.Prob)].Name, slices.Max(p.Prob))
		for from := 1; from <= Numbers; from += 50 {
			line := make([]byte, 50)
			for i := range line {
				line[i] = '0' + byte(min(9, 10*p.Predict(from+i)))
			}
			fmt.Printf("%s\n", line)
		}
	}
	// Output:
	// [16]: powers of 4 (0.330)
	// 11060103100111191111110211010003000200010000010110
	// 00000200000007010000010001000100000101000000020001
	// [60]: multiples of 12 (0.170)
	// 00000100030300100104000300000500000400040101100404
	// 12132222292222231214040011010400030000050000030004
	// [16 8 2 64]: powers of 2 (1.000)
	// 09090009000000090000000000000009000000000000000000
	// 00000000000009000000000000000000000000000000000000
	// [16 23 19 20]: from 16 to 23 (0.092)
	// 00000000112235799999999753221110000000000000000000
	// 00000000000000000000000000000000000000000000000000
}
