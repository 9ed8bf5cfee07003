package main

import (
	"fmt"
	"io"
)

// precise is the least precision of a rule that may file mail.
const precise = .95

// outcome counts the matches of a rule among the messages that were not given.
type outcome struct{ matched, right, others int }

func (o outcome) isPrecise() bool {
	return o.matched > 0 && float64(o.right) >= precise*float64(o.matched)
}

func (o outcome) recall() float64 { return float64(o.right) / float64(o.others) }

// trial is one draw of messages.
type trial struct {
	rule, value, rarest, best outcome
	sure, pair                bool // more probable than no rule; of two conditions
}

// folderResult are the trials of one folder.
type folderResult struct {
	folder   string
	size     int
	chosenOn bool
	trials   []trial
}

// sums are counts over trials.
type sums struct {
	trials, precise   int
	recall, precision float64 // sums; of precision over the trials that match something
	matching          int
	recallPrecise     float64 // over precise rules
}

func (s *sums) add(o outcome) {
	s.trials++
	s.recall += o.recall()
	if o.matched > 0 {
		s.matching++
		s.precision += float64(o.right) / float64(o.matched)
	}
	if o.isPrecise() {
		s.precise++
		s.recallPrecise += o.recall()
	}
}

// report writes the tables in Markdown.
func report(w io.Writer, all []folderResult, messages int) {
	fmt.Fprintf(w, "%d messages, %d folders asked\n\n", messages, len(all))
	for _, half := range []struct {
		name string
		has  func(folderResult) bool
	}{
		{"folders that weights were chosen on", func(r folderResult) bool { return r.chosenOn }},
		{"the other folders", func(r folderResult) bool { return !r.chosenOn }},
		{"all folders", func(folderResult) bool { return true }},
	} {
		fmt.Fprintf(w, "%s:\n\n| | trials | precise %% | mean recall %% | mean precision %% | recall of the precise %% |\n| --- | --- | --- | --- | --- | --- |\n", half.name)
		var rule, sure, pairs, value, rarest, best sums
		for _, r := range all {
			if !half.has(r) {
				continue
			}
			for _, t := range r.trials {
				rule.add(t.rule)
				value.add(t.value)
				rarest.add(t.rarest)
				best.add(t.best)
				if t.sure {
					sure.add(t.rule)
				}
				if t.pair {
					pairs.add(t.rule)
				}
			}
		}
		for _, row := range []struct {
			name string
			sums
		}{{"top rule", rule}, {"– more probable than no rule", sure}, {"– of two conditions", pairs}, {"most frequent value", value}, {"– the rarest of equals", rarest}, {"best rule, in hindsight", best}} {
			s := row.sums
			fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s |\n", row.name, s.trials, percent(float64(s.precise), s.trials),
				percent(s.recall, s.trials), percent(s.precision, s.matching), percent(s.recallPrecise, s.precise))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "| folder | messages | precise rules | mean recall %% | precise values | mean recall %% |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range all {
		var rule, rarest sums
		for _, t := range r.trials {
			rule.add(t.rule)
			rarest.add(t.rarest)
		}
		fmt.Fprintf(w, "| %s | %d | %d of %d | %s | %d of %d | %s |\n", r.folder, r.size, rule.precise, rule.trials,
			percent(rule.recall, rule.trials), rarest.precise, rarest.trials, percent(rarest.recall, rarest.trials))
	}
}

func percent(sum float64, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*sum/float64(n))
}
