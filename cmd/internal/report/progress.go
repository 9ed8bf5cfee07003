package report

import (
	"sync"

	"github.com/polya-classifier/polya/cmd/internal/evaluation"
	"github.com/polya-classifier/polya/cmd/internal/terminal"
)

// progress shows the stage of an evaluation and how far it is. A nil
// progress shows nothing.
type progress struct {
	to *terminal.Streams

	mu  sync.Mutex
	bar *terminal.Bar
}

// NewProgress returns nil without a terminal.
func NewProgress(to *terminal.Streams) *progress {
	if to.Quiet || !terminal.IsTerminal(to.Stderr) {
		return nil
	}
	return &progress{to: to}
}

// OrNil returns an interface that is nil if e is.
func (e *progress) OrNil() evaluation.Progress {
	if e == nil {
		return nil
	}
	return e
}

// Stage implements evaluation.Progress.
func (e *progress) Stage(name string, steps int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bar.Done()
	e.bar = e.to.StartBar(name, int64(steps), false)
}

// Step implements evaluation.Progress.
func (e *progress) Step(n int) {
	e.mu.Lock()
	bar := e.bar
	e.mu.Unlock()
	bar.Add(n)
}

// Done removes the bar.
func (e *progress) Done() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bar.Done()
}
