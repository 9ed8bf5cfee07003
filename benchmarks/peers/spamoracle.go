//go:build linux

package main

import (
	"path/filepath"
	"strconv"
	"strings"
)

// spamoracleCutoff is the least score that spamoracle marks "yes" with default settings.
const spamoracleCutoff = .8

func spamoraclePeer() *peer {
	learn := map[string]string{"ham": "-good", "spam": "-spam"}
	with := func(s *session, args ...string) []string {
		return append([]string{"spamoracle", "-f", filepath.Join(s.dir, "db")}, args...)
	}
	return &peer{
		name: "spamoracle", packages: []string{"spamoracle"}, programs: []string{"spamoracle"},
		note:     "spam from .8 on; scores of two decimals; rewrites its database at each learning",
		train:    learnPaths(func(s *session, class string) []string { return with(s, "add", learn[class]) }),
		classify: classifyPaths(func(s *session) []string { return with(s, "test") }, nil, parseSpamoracle),
		classifyOne: func(s *session, d document) error {
			_, _, err := s.run(command{argv: with(s, "mark"), stdin: d.path})
			return err
		},
		learnOne: func(s *session, d document) error {
			_, _, err := s.run(command{argv: with(s, "add", learn[d.class()], d.path)})
			return err
		},
	}
}

// parseSpamoracle reads the paragraphs of spamoracle test. Each ends with the lines
// Score, Details and File; lines of the message come before them and may contain
// anything: the last Score before the File is spamoracle's.
func parseSpamoracle(out string, asked []string) ([]answer, error) {
	var answers []answer
	score := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if number, found := strings.CutPrefix(line, "Score: "); found {
			score = number
		}
		if len(answers) == len(asked) || line != "File: "+asked[len(answers)] {
			continue
		}
		number, _, _ := strings.Cut(score, " ")
		value, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, unreadable(score)
		}
		answers = append(answers, answer{spam: value >= spamoracleCutoff, score: value})
		score = ""
	}
	return answers, nil
}
