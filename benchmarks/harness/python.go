package harness

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
)

// Python is Debian's Python, which finds Debian's modules independently of the path.
const Python = "/usr/bin/python3"

// ScikitLearn is a program for Python that has scikit-learn do what its first argument says.
//
//go:embed scikitlearn.py
var ScikitLearn string

// Scikit returns a process of ScikitLearn that does one of its verbs in one thread.
func Scikit(ctx context.Context, verb string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, Python, "-W", "ignore", "-c", ScikitLearn, verb)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// AskScikit gives a verb its question as JSON, and calls answer with a decoder until that
// has read all answers.
func AskScikit(ctx context.Context, verb string, question any, answer func(*json.Decoder)) {
	if exec.CommandContext(ctx, Python, "-c", "import sklearn").Run() != nil {
		Failf("%s does not find scikit-learn: install python3-sklearn", Python)
	}
	cmd := Scikit(ctx, verb)
	cmd.Stdin = bytes.NewReader(Must(json.Marshal(question)))
	for answers := json.NewDecoder(bytes.NewReader(Must(cmd.Output()))); answers.More(); {
		answer(answers)
	}
}
