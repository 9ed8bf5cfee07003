package sieve

import (
	"fmt"
	"strings"

	"github.com/polya-classifier/polya/cmd/internal/terminal"
	"github.com/polya-classifier/polya/cmd/polya-lab/internal/rule"
)

// Script writes rules as Sieve (RFC 5228).
type Script struct {
	Folder string // to file into
	tests  map[rule.Condition]string
}

func (s *Script) test(r *rule.Rule) string {
	var tests []string
	for _, c := range r.Conditions {
		tests = append(tests, s.tests[c])
	}
	if len(tests) == 1 {
		return tests[0]
	}
	return "allof(" + strings.Join(tests, ", ") + ")"
}

// Line returns a rule as a command on one line.
func (s *Script) Line(r *rule.Rule) string {
	return fmt.Sprintf("if %s { fileinto %s; }", s.test(r), quoted(s.Folder))
}

// Text returns a rule as a complete script.
func (s *Script) Text(r *rule.Rule) string {
	return fmt.Sprintf("require [\"fileinto\"];\n\nif %s {\n    fileinto %s;\n}\n", s.test(r), quoted(s.Folder))
}

// IsText reports whether s can stand in a quoted string and be shown: control
// characters have no escape there, and a script is UTF-8 (RFC 5228 section 2.4.2).
func IsText(s string) bool { return terminal.IsPrintable(s) }

// quoted returns s as a quoted string: only quotes and backslashes are escaped.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// quotedList returns a string list; one string has no brackets.
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

// literal escapes characters with a meaning in a pattern of ":matches" (section 2.7.1).
func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(s)
}
