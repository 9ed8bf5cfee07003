//go:build unix

package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

//go:embed scikitlearn.py
var scikitLearnProgram string

// inScikitLearn is a process with scikit-learn, which reads the corpus itself and answers
// on request.
type inScikitLearn struct {
	python, model, corpus string

	process *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
}

func (s *inScikitLearn) name() string { return "scikit-learn " + s.model }

func (s *inScikitLearn) learn([]document) (err error) {
	s.process = exec.Command(s.python, "-c", scikitLearnProgram, s.model, s.corpus)
	s.process.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	s.process.Stderr = os.Stderr
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		return err
	}
	stdout, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	s.stdout = bufio.NewReader(stdout)
	if err := s.process.Start(); err != nil {
		return err
	}
	if _, err := s.stdout.ReadString('\n'); err != nil {
		return fmt.Errorf("%s: could not learn: is scikit-learn installed (python3-sklearn)?", s.python)
	}
	return nil
}

func (s *inScikitLearn) answer(docs []document) ([]string, time.Duration, error) {
	if _, err := io.WriteString(s.stdin, "answer\n"); err != nil {
		return nil, 0, err
	}
	line, err := s.stdout.ReadBytes('\n')
	if err != nil {
		return nil, 0, err
	}
	var answer struct {
		Seconds float64
		Classes []string
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, 0, err
	}
	if len(answer.Classes) != len(docs) {
		return nil, 0, fmt.Errorf("%d answers for %d documents", len(answer.Classes), len(docs))
	}
	return answer.Classes, time.Duration(answer.Seconds * float64(time.Second)), nil
}

func (s *inScikitLearn) close() error {
	if s.process == nil {
		return nil
	}
	s.stdin.Close()
	return s.process.Wait()
}
