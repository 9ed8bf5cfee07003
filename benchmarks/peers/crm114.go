//go:build linux

package main

import (
	"path/filepath"
	"strconv"
	"strings"
)

// crm114Method is the classifier that Debian's mailfilter.cf names, on runs of visible characters.
const crm114Method = "<osb unique microgroom>"

func crm114Peer() *peer {
	file := func(s *session, class string) string { return filepath.Join(s.dir, class+".css") }
	learn := func(s *session, d document) error {
		program := "-{ learn " + crm114Method + " (" + file(s, d.class()) + ") /[[:graph:]]+/ }"
		_, _, err := s.run(command{argv: []string{"crm", program}, stdin: d.path})
		return err
	}
	one := func(s *session, d document) (answer, error) {
		program := "-{ isolate (:s:); { classify " + crm114Method + " (" + file(s, "ham") + " | " + file(s, "spam") +
			") (:s:) /[[:graph:]]+/ } output /:*:s:/ }"
		out, _, err := s.run(command{argv: []string{"crm", program}, stdin: d.path})
		if err != nil {
			return answer{}, err
		}
		return parseCRM114(string(out))
	}
	return &peer{
		name: "crm114", packages: []string{"crm114"}, programs: []string{"crm"},
		note: "one-line programs, " + crm114Method + ", train everything, spam where pR < 0 for ham; a process a message for all it does",
		train: func(s *session, documents []document) error {
			for _, d := range documents {
				if err := learn(s, d); err != nil {
					return err
				}
			}
			return nil
		},
		classify:    eachOne(one),
		classifyOne: ignoring(one),
		learnOne:    learn,
	}
}

// parseCRM114 reads the first line of classify's output, for ham against spam: "CLASSIFY
// fails; success probability: 0.0000 pR: -39.2218".
func parseCRM114(out string) (answer, error) {
	line, _, _ := strings.Cut(out, "\n")
	verdict, rest, _ := strings.Cut(line, ";")
	_, number, found := strings.Cut(rest, "pR:")
	pr, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !found || err != nil || verdict != "CLASSIFY fails" && verdict != "CLASSIFY succeeds" {
		return answer{}, unreadable(line)
	}
	return answer{spam: verdict == "CLASSIFY fails", score: -pr}, nil
}
