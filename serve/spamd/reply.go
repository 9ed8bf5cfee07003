package spamd

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/header"
	"github.com/polya-classifier/polya/serve/internal/points"
)

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
		word, score, threshold, points.Symbol(a))})
}

func spamField(a backend.Answer) string {
	score, threshold := scores(a)
	word := "False"
	if a.Spam {
		word = "True"
	}
	return fmt.Sprintf("Spam: %s ; %s / %s\r\n", word, score, threshold)
}

func scores(a backend.Answer) (score, threshold string) {
	x, limit := points.Scores(a)
	return fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", limit)
}

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

// printable returns a term on one line.
func printable(term string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, term)
}

// rspamdReply returns the reply to Exim's variant=rspamd. The third number is the score
// from which rspamd rejects, and no score reaches it: Exim decides about rejection.
func rspamdReply(a backend.Answer) string {
	score, threshold := scores(a)
	word, action := "False", "no action"
	if a.Spam {
		word, action = "True", "add header"
	}
	return fmt.Sprintf("RSPAMD/1.3 0 EX_OK\r\nMetric: default; %s; %s / %s / %d.0\r\nAction: %s\r\nSymbol: %s\r\npolya: %s\r\n",
		word, score, threshold, points.Max+1, action, points.Symbol(a), a.Field())
}
