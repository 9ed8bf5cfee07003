// Package points is an answer in the words of the filters that add up points: a score, a
// threshold and the name of a rule.
package points

import (
	"math"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

// Max is the largest score, for programs that keep little room for it.
const Max = 9999

// Scores are the score and the threshold of an answer to one digit. Some programs compare
// these two and look at nothing else, so that their order agrees with the answer.
func Scores(a backend.Answer) (score, threshold float64) {
	n, limit := tenths(a.Score), tenths(a.Threshold)
	if a.Spam {
		n = max(n, limit)
	} else {
		n = min(n, limit-1)
	}
	return float64(n) / 10, float64(limit) / 10
}

func tenths(x float64) int {
	if math.IsNaN(x) {
		return 0
	}
	return int(math.Round(10 * max(-Max, min(Max, x))))
}

// Symbol is the name of an answer as rules are named: POLYA_SPAM.
func Symbol(a backend.Answer) string {
	if a.Unsure {
		return "POLYA_UNSURE"
	}
	return "POLYA_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, a.Class)
}
