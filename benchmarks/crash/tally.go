package main

import (
	"errors"

	"github.com/polya-classifier/polya/benchmarks/crash/work"
)

// tally counts trials and faults.
type tally struct {
	tried, opened int
	faults        [work.Damaged + 1]int
	examples      []error
}

// mostExamples is the number of faults that are described.
const mostExamples = 5

func (t *tally) add(other tally) {
	t.tried, t.opened = t.tried+other.tried, t.opened+other.opened
	for f, n := range other.faults {
		t.faults[f] += n
	}
	for _, e := range other.examples {
		t.example(e)
	}
}

// see counts the outcome of one state. It returns an error that is not a fault of
// the file.
func (t *tally) see(err error) error {
	t.tried++
	t.opened++
	var fault *work.FaultError
	switch {
	case err == nil:
	case errors.As(err, &fault):
		t.faults[fault.Fault]++
		t.example(err)
	default:
		return err
	}
	return nil
}

func (t *tally) example(err error) {
	if len(t.examples) < mostExamples {
		t.examples = append(t.examples, err)
	}
}

func (t *tally) wrong() int {
	n := 0
	for _, faults := range t.faults {
		n += faults
	}
	return n
}
