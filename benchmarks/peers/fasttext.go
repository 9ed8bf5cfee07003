//go:build linux

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func fastTextPeer() *peer {
	model := func(s *session) string { return filepath.Join(s.dir, "model") }
	ask := func(s *session, documents []document) ([]answer, error) {
		path := filepath.Join(s.home, "asked")
		if err := writeLines(path, documents, false); err != nil {
			return nil, err
		}
		out, _, err := s.run(command{argv: []string{"fasttext", "predict-prob", model(s) + ".bin", path, "2"}})
		if err != nil {
			return nil, err
		}
		return parseFastText(string(out))
	}
	return &peer{
		name: "fastText", packages: []string{"fasttext"}, programs: []string{"fasttext"},
		note: "-lr 1.0 -epoch 10 -thread 1, on the raw bytes as one line, which we write before its clock starts; learns nothing after the first training",
		train: func(s *session, documents []document) error {
			path := filepath.Join(s.home, "learned")
			if err := writeLines(path, documents, true); err != nil {
				return err
			}
			_, _, err := s.run(command{argv: []string{"fasttext", "supervised", "-input", path, "-output", model(s),
				"-lr", "1.0", "-epoch", "10", "-thread", "1"}})
			if err != nil {
				return err
			}
			return os.Remove(model(s) + ".vec") // the same vectors again as text, which it always writes
		},
		classify: ask,
		classifyOne: func(s *session, d document) error {
			_, err := ask(s, []document{d})
			return err
		},
	}
}

// writeLines writes a line a document, as fastText wants it: blanks for control
// characters, and first the class if the document is learned. A document of only blanks
// gets a word, because an empty line would have no answer.
func writeLines(path string, documents []document, learned bool) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	for _, d := range documents {
		data, err := os.ReadFile(d.path)
		if err != nil {
			return err
		}
		if learned {
			w.WriteString("__label__" + d.class() + " ")
		}
		w.WriteString("document ")
		for _, b := range data {
			w.WriteByte(max(b, ' '))
		}
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// parseFastText reads lines as "__label__spam 0.98 __label__ham 0.02". The score is the
// difference of both: each alone is rounded where it is near 1.
func parseFastText(out string) ([]answer, error) {
	var answers []answer
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		p := map[string]float64{}
		for i := 0; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i+1], 64)
			if err != nil {
				return nil, unreadable(line)
			}
			p[strings.TrimPrefix(fields[i], "__label__")] = value
		}
		if len(p) != 2 || len(fields) != 4 {
			return nil, unreadable(line)
		}
		answers = append(answers, answer{spam: p["spam"] > p["ham"], score: p["spam"] - p["ham"]})
	}
	return answers, nil
}
