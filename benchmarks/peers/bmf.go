//go:build linux

package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func bmfPeer() *peer {
	learn := map[string]string{"ham": "-n", "spam": "-s"}
	exits := []int{0, 1} // 0 spam, 1 not spam, whether asked or told
	one := func(s *session, d document) (answer, error) {
		out, exit, err := s.run(command{argv: []string{"bmf", "-d", s.dir, "-t"}, stdin: d.path, ok: exits})
		if err != nil {
			return answer{}, err
		}
		return parseBMF(string(out), exit)
	}
	return &peer{
		name: "bmf", packages: []string{"bmf"}, programs: []string{"bmf"},
		note: "spam from .9 on; trained by an mbox a class, classifies by a process a message",
		train: func(s *session, documents []document) error {
			for _, class := range classes {
				mbox := filepath.Join(s.home, class+".mbox")
				if err := writeMbox(mbox, of(documents, class)); err != nil {
					return err
				}
				if _, _, err := s.run(command{argv: []string{"bmf", "-d", s.dir, learn[class]}, stdin: mbox, ok: exits}); err != nil {
					return err
				}
			}
			return nil
		},
		classify:    eachOne(one),
		classifyOne: ignoring(one),
		learnOne: func(s *session, d document) error {
			_, _, err := s.run(command{argv: []string{"bmf", "-d", s.dir, learn[d.class()]}, stdin: d.path, ok: exits})
			return err
		},
	}
}

// parseBMF reads "# Spamicity: 0.990000", the first line of bmf -t; the verdict is the exit code.
func parseBMF(out string, exit int) (answer, error) {
	line, _, _ := strings.Cut(out, "\n")
	text, found := strings.CutPrefix(line, "# Spamicity: ")
	score, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if !found || err != nil {
		return answer{}, unreadable(line)
	}
	return answer{spam: exit == 0, score: score}, nil
}

// writeMbox writes documents as an mbox (mboxrd): each after its own From line, with >
// before lines that look like one.
func writeMbox(path string, documents []document) error {
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
		writeMessage(w, data)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func writeMessage(w *bufio.Writer, data []byte) {
	first := true
	for line := range bytes.Lines(data) {
		from := bytes.HasPrefix(bytes.TrimLeft(line, ">"), []byte("From "))
		switch {
		case first && !from:
			w.WriteString("From peers@localhost Thu Jan  1 00:00:00 1970\n")
		case !first && from:
			w.WriteByte('>')
		}
		first = false
		w.Write(line)
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		w.WriteByte('\n')
	}
	w.WriteByte('\n')
}
