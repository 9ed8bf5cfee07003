//go:build linux

package main

import (
	_ "embed"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// scikitLearn is the program that is run: it learns from lists or answers them.
//
//go:embed scikitlearn.py
var scikitLearn string

// python is Debian's Python, which finds Debian's modules independently of the path.
const python = "/usr/bin/python3"

func naiveBayesPeer() *peer {
	program := func(s *session, lines []string, args ...string) ([]byte, error) {
		path := filepath.Join(s.home, "scikitlearn.py")
		if err := os.WriteFile(path, []byte(scikitLearn), 0o600); err != nil {
			return nil, err
		}
		argv := append([]string{python, path, filepath.Join(s.dir, "model.pickle")}, args...)
		out, _, err := s.run(command{argv: argv, lines: lines})
		return out, err
	}
	return &peer{
		name: "scikit-learn", packages: []string{"python3-sklearn"}, programs: []string{python}, modules: []string{"sklearn"},
		note: "CountVectorizer and MultinomialNB with their defaults on the raw bytes as Latin-1, pickled; Python starts and imports in each process; learns nothing after the first training",
		train: func(s *session, documents []document) error {
			lines := make([]string, len(documents))
			for i, d := range documents {
				lines[i] = d.class() + "\t" + d.path
			}
			_, err := program(s, lines, "train")
			return err
		},
		classify: func(s *session, documents []document) ([]answer, error) {
			out, err := program(s, paths(documents), "classify")
			if err != nil {
				return nil, err
			}
			return parseLogOdds(string(out))
		},
		classifyOne: func(s *session, d document) error {
			_, err := program(s, []string{d.path}, "classify")
			return err
		},
	}
}

// parseLogOdds reads a line a document: the log-odds of spam, spam above 0.
func parseLogOdds(out string) ([]answer, error) {
	var answers []answer
	for line := range strings.Lines(out) {
		score, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
		if err != nil {
			return nil, unreadable(line)
		}
		answers = append(answers, answer{spam: score > 0, score: score})
	}
	return answers, nil
}
