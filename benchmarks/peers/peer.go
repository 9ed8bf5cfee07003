//go:build linux

package main

import (
	"errors"
	"fmt"
)

// An answer is a peer's answer for a document. Unsure is not spam: the message stays with
// the user's mail.
type answer struct {
	spam  bool
	score float64 // the greater, the more it is spam; only the order matters
}

// A peer is a classifier that can be measured: its Debian name, and how it is run. Each
// of its methods runs processes of its session, which adds up their cost.
type peer struct {
	name     string
	packages []string // of Debian, which --install installs
	programs []string // without which it is left out
	modules  []string // of Python, likewise
	note     string   // a note for readers of the table

	// train learns documents into the empty directory of the session.
	train func(s *session, documents []document) error
	// classify answers for each document, in order, as cheaply as the peer can.
	classify func(s *session, documents []document) ([]answer, error)
	// classifyOne and learnOne run a process of their own for one document; nil if it cannot
	// run in this way, or cannot learn after the first training.
	classifyOne func(s *session, d document) error
	learnOne    func(s *session, d document) error
	// serve starts the daemon on the learned data, unless train, which may learn with the
	// daemon, has started it; nil if there is no daemon. ask and tell make one request each
	// from a long-lived process.
	serve     func(s *session) (*daemon, error)
	ask, tell func(s *session, d document) error
}

// peers lists all peers, in the order of the table.
func peers(polya string) []*peer {
	list := polyaPeers(polya)
	list = append(list, bogofilterPeer(), spamprobePeer(), bmfPeer(), sylfilterPeer(), spamoraclePeer(), crm114Peer())
	return append(list, naiveBayesPeer(), fastTextPeer(), rspamdPeer(), spamassassinPeer())
}

// eachOne classifies with one process per document, for peers without another way.
func eachOne(one func(*session, document) (answer, error)) func(*session, []document) ([]answer, error) {
	return func(s *session, documents []document) ([]answer, error) {
		answers := make([]answer, len(documents))
		for i, d := range documents {
			var err error
			if answers[i], err = one(s, d); err != nil {
				return nil, fmt.Errorf("%w (asked about %s)", err, d.path)
			}
		}
		return answers, nil
	}
}

// learnPaths trains with processes that take the paths of one class as arguments.
func learnPaths(argv func(s *session, class string) []string) func(*session, []document) error {
	return func(s *session, documents []document) error {
		for _, class := range classes {
			for _, batch := range batches(paths(of(documents, class))) {
				if _, _, err := s.run(command{argv: append(argv(s, class), batch...)}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// classifyPaths classifies with processes that take paths as arguments; parse reads their
// output for these paths.
func classifyPaths(argv func(*session) []string, ok []int, parse func(out string, asked []string) ([]answer, error)) func(*session, []document) ([]answer, error) {
	return func(s *session, documents []document) ([]answer, error) {
		var answers []answer
		for _, batch := range batches(paths(documents)) {
			out, _, err := s.run(command{argv: append(argv(s), batch...), ok: ok})
			if err != nil {
				return nil, err
			}
			some, err := parse(string(out), batch)
			if err != nil {
				return nil, err
			}
			answers = append(answers, some...)
		}
		return answers, nil
	}
}

// ignoring drops the answer: for the latency only the process counts.
func ignoring(one func(*session, document) (answer, error)) func(*session, document) error {
	return func(s *session, d document) error {
		_, err := one(s, d)
		return err
	}
}

// expect reports whether a peer answered as often as it was asked.
func expect(answers []answer, documents []document) error {
	if len(answers) != len(documents) {
		return fmt.Errorf("%d answers to %d documents", len(answers), len(documents))
	}
	return nil
}

var errAnswer = errors.New("an answer that cannot be read")

func unreadable(line string) error {
	return fmt.Errorf("%w: %.200q", errAnswer, line)
}
