//go:build linux

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// polyaPeers returns polya with its default settings and, because the filters keep only
// counts of a document, also in ledger mode digest.
func polyaPeers(program string) []*peer {
	return []*peer{polyaPeer("polya", program, "full"), polyaPeer("polya-digest", program, "digest")}
}

func polyaPeer(name, program, ledger string) *peer {
	p := &peer{name: name, programs: []string{program}, note: "ledger mode " + ledger}
	with := func(s *session, args ...string) []string {
		return append([]string{program, args[0], "--db", filepath.Join(s.dir, "mail.polya")}, args[1:]...)
	}
	p.train = func(s *session, _ []document) error {
		_, _, err := s.run(command{argv: with(s, "train", "--quiet", "--ledger", ledger, "--folders", filepath.Join(s.corpus.root, "train"))})
		return err
	}
	p.classify = classifyPaths(func(s *session) []string { return with(s, "classify", "--json") }, nil, parsePolya)
	p.classifyOne = func(s *session, d document) error {
		_, _, err := s.run(command{argv: with(s, "classify", d.path)})
		return err
	}
	p.learnOne = func(s *session, d document) error {
		_, _, err := s.run(command{argv: with(s, "train", "--quiet", d.class(), d.path)})
		return err
	}
	return p
}

// parsePolya reads the lines of classify --json. The log-odds are of the answered class,
// so that they change sign for ham.
func parsePolya(out string, asked []string) ([]answer, error) {
	var answers []answer
	for line := range strings.Lines(out) {
		var said struct {
			Path    string   `json:"path"`
			Class   string   `json:"class"`
			LogOdds *float64 `json:"log_odds"`
			Unsure  bool     `json:"unsure"`
		}
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.LogOdds == nil ||
			len(answers) >= len(asked) || said.Path != asked[len(answers)] {
			return nil, unreadable(line)
		}
		a := answer{spam: said.Class == "spam" && !said.Unsure, score: *said.LogOdds}
		if said.Class == "ham" {
			a.score = -a.score
		}
		answers = append(answers, a)
	}
	return answers, nil
}
