package spamd

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
)

// fields are what PROCESS and HEADERS add.
func fields(a backend.Answer) []header.Field {
	score, threshold := scores(a)
	word := "No"
	if a.Spam {
		word = "Yes"
	}
	all := []header.Field{{Name: backend.ResultField, Value: a.Field()}}
	if a.Spam {
		all = append(all, header.Field{Name: "X-Spam-Flag", Value: "YES"})
	}
	return append(all, header.Field{Name: "X-Spam-Status", Value: fmt.Sprintf("%s, score=%s required=%s tests=%s autolearn=no version=polya",
		word, score, threshold, symbol(a))})
}

// spamField is the field Spam of a reply.
func spamField(a backend.Answer) string {
	score, threshold := scores(a)
	word := "False"
	if a.Spam {
		word = "True"
	}
	return fmt.Sprintf("Spam: %s ; %s / %s\r\n", word, score, threshold)
}

// maxScore is the largest score that is shown, for programs that keep little room for it.
const maxScore = 9999

// scores are the score and the threshold with one digit. Some programs compare these
// two and look at nothing else, so that their order agrees with the answer.
func scores(a backend.Answer) (score, threshold string) {
	tenths := func(x float64) int {
		if math.IsNaN(x) {
			return 0
		}
		return int(math.Round(10 * max(-maxScore, min(maxScore, x))))
	}
	n, limit := tenths(a.Score), tenths(a.Threshold)
	if a.Spam {
		n = max(n, limit)
	} else {
		n = min(n, limit-1)
	}
	return fmt.Sprintf("%.1f", float64(n)/10), fmt.Sprintf("%.1f", float64(limit)/10)
}

// symbol is the name of an answer as rules are named: POLYA_SPAM.
func symbol(a backend.Answer) string {
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

// report is an answer and its reasons as text.
func report(a backend.Answer) string {
	var b strings.Builder
	score, threshold := scores(a)
	fmt.Fprintf(&b, "polya: %s\nscore %s of %s\n", a.Field(), score, threshold)
	if len(a.Reasons) > 0 {
		fmt.Fprintf(&b, "\n    bits  count  term\n")
	}
	for _, r := range a.Reasons {
		fmt.Fprintf(&b, "%8.1f %6d  %s\n", r.Bits, r.Count, printable(r.Term))
	}
	return b.String()
}

// printable is a term on one line.
func printable(term string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, term)
}

// rspamdReply is the reply to Exim's variant=rspamd. The third number is the score from
// which rspamd rejects, and no score reaches it: what is rejected Exim decides.
func rspamdReply(a backend.Answer) string {
	score, threshold := scores(a)
	word, action := "False", "no action"
	if a.Spam {
		word, action = "True", "add header"
	}
	return fmt.Sprintf("RSPAMD/1.3 0 EX_OK\r\nMetric: default; %s; %s / %s / %d.0\r\nAction: %s\r\nSymbol: %s\r\npolya: %s\r\n",
		word, score, threshold, maxScore+1, action, symbol(a), a.Field())
}
