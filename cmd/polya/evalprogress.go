package main

import (
	"sync"

	"github.com/polya-classifier/polya/cmd/polya/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/polya/internal/terminal"
)

// evalProgress shows the stage of an evaluation and how far it is. A nil
// evalProgress shows nothing.
type evalProgress struct {
	program *program

	mu  sync.Mutex
	bar *terminal.Bar
}

// newEvalProgress returns nil where nobody looks.
func (p *program) newEvalProgress() *evalProgress {
	if p.Quiet || !terminal.IsTerminal(p.Stderr) {
		return nil
	}
	return &evalProgress{program: p}
}

// orNil returns an interface that is nil if e is.
func (e *evalProgress) orNil() evaluation.Progress {
	if e == nil {
		return nil
	}
	return e
}

// Stage implements evaluation.Progress.
func (e *evalProgress) Stage(name string, steps int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bar.Done()
	e.bar = e.program.StartBar(name, int64(steps), false)
}

// Step implements evaluation.Progress.
func (e *evalProgress) Step(n int) {
	e.mu.Lock()
	bar := e.bar
	e.mu.Unlock()
	bar.Add(n)
}

// done takes the bar away.
func (e *evalProgress) done() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bar.Done()
}
