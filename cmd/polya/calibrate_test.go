package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/polya-classifier/polya/classify/calibration"
	"github.com/polya-classifier/polya/cmd/internal/command"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// Where the model chosen is not the first, the output says why; else it does not.
func TestCalibrationSaysWhyNotTheFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stack float64
		why   bool
	}{{.2, true}, {.05, false}} {
		var out bytes.Buffer
		k := &calibration.Calibration{Sample: 30, Chosen: "stack", Models: []calibration.Model{
			{Name: "stack", Loss: c.stack}, {Name: "ratio", Loss: .1},
		}}
		p := &program{&command.Program{Streams: &terminal.Streams{Stdout: &out}}}
		if err := p.printCalibration("a.polya", k); err != nil {
			t.Fatal(err)
		}
		if why := strings.Contains(out.String(), "\n(stack is chosen unless another is better by more than twice the standard error"); why != c.why {
			t.Errorf("stack at %v:\n%s", c.stack, &out)
		}
	}
}
