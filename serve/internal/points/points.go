// Package points expresses an answer as filters that add up points do, and has what two protocols of rspamd share.
package points

import (
	"math"
	"strings"

	"github.com/polya-classifier/polya/serve/backend"
)

// Max is the largest score: some programs reserve only few digits.
const Max = 9999

// Scores returns the score and the threshold of an answer, rounded to one decimal. Their
// order agrees with the answer, since some programs compare only these two.
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

// Recipient returns the user for whom a message is in rspamd's protocol: "" if it has several recipients. The
// field User is the sender if a mail server asks, and else the user of rspamc -u.
func Recipient(deliverTo string, recipients []string, user string) string {
	switch {
	case deliverTo != "":
		return deliverTo
	case len(recipients) == 0:
		return user
	case len(recipients) == 1:
		return strings.Trim(recipients[0], "<>")
	}
	return ""
}

// Symbol returns the name of an answer in the style of rule names: POLYA_SPAM.
func Symbol(a backend.Answer) string {
	if a.Unsure {
		return "POLYA_UNSURE"
	}
	return "POLYA_" + strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(a.Class))
}
