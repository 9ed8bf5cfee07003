package main

import (
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/classify/rule"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// sieve writes rules as Sieve (RFC 5228).
type sieve struct {
	tests  map[rule.Condition]string
	folder string
}

// test returns the test of a rule.
func (s *sieve) test(r *rule.Rule) string {
	var tests []string
	for _, c := range r.Conditions {
		tests = append(tests, s.tests[c])
	}
	if len(tests) == 1 {
		return tests[0]
	}
	return "allof(" + strings.Join(tests, ", ") + ")"
}

// line returns a rule as a command on one line.
func (s *sieve) line(r *rule.Rule) string {
	return fmt.Sprintf("if %s { fileinto %s; }", s.test(r), quoted(s.folder))
}

// script returns a rule as a complete script.
func (s *sieve) script(r *rule.Rule) string {
	return fmt.Sprintf("require [\"fileinto\"];\n\nif %s {\n    fileinto %s;\n}\n", s.test(r), quoted(s.folder))
}

// isSieveText says whether s can stand in a quoted string and be shown: control
// characters have no escape there, and a script is UTF-8 (RFC 5228 section 2.4.2).
func isSieveText(s string) bool { return terminal.IsPrintable(s) }

// quoted returns s as a quoted string: only quotes and backslashes are escaped.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// quotedList returns a string list, of one string without brackets.
func quotedList(list []string) string {
	var all []string
	for _, s := range list {
		all = append(all, quoted(s))
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// literal escapes what has a meaning in a pattern of ":matches" (section 2.7.1).
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(s)
}

// ruleJSON is the object of 'polya rule --json'.
type ruleJSON struct {
	Posterior  terminal.Number `json:"posterior"`
	NoRule     terminal.Number `json:"no_rule"`
	Documents  uint64          `json:"documents"` // that match, of all
	All        uint64          `json:"all"`
	Covers     int             `json:"covers"` // of those given
	Given      int             `json:"given"`
	Conditions []conditionJSON `json:"conditions"`
	Sieve      string          `json:"sieve"`
}

type conditionJSON struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// printRules prints what was found for so many messages.
func (p *program) printRules(f *ruleFlags, s *sieve, a *rule.Answer, given int) error {
	switch {
	case p.Quiet:
		return nil
	case f.sieve:
		p.Printf("%s", s.script(&a.Rules[0]))
		return nil
	case f.json:
		for i := range a.Rules {
			if err := p.EncodeJSON(s.json(&a.Rules[i], a, given)); err != nil {
				return err
			}
		}
		return nil
	}
	t := terminal.Table{Numeric: []bool{true, true, true, false}}
	t.Add("posterior", "documents", "given", "rule")
	for i := range a.Rules {
		r := &a.Rules[i]
		t.Add(fmt.Sprintf("%.4f", r.Posterior), terminal.Grouped(r.Size), fmt.Sprintf("%d of %d", r.Covers, given), s.line(r))
	}
	t.Add(fmt.Sprintf("%.4f", a.None), terminal.Grouped(a.Documents), "", "no rule")
	return t.Write(p.Stdout)
}

func (s *sieve) json(r *rule.Rule, a *rule.Answer, given int) ruleJSON {
	j := ruleJSON{
		Posterior: terminal.Number(r.Posterior), NoRule: terminal.Number(a.None), Documents: r.Size, All: a.Documents,
		Covers: r.Covers, Given: given, Sieve: s.line(r),
	}
	for _, c := range r.Conditions {
		j.Conditions = append(j.Conditions, conditionJSON{c.Kind.String(), c.Value})
	}
	return j
}
