// Package drift watches whether new mail still resembles the mail that the classifier was good at. It compares
// the last answers with the first ones, by how many are unsure and by their scores; the errors that people
// correct with the number that probabilities predict; and wrong automatic lessons with a limit.
package drift

import (
	"fmt"
	"math"
	"sync"
)

// State is what a Watch has seen.
type State struct {
	Answers     int     `json:"answers"`     // since it began
	Unsure      float64 `json:"unsure"`      // share of the last answers
	Distance    float64 `json:"distance"`    // Kolmogorov-Smirnov, between the scores of the last and the first answers
	Corrections int     `json:"corrections"` // answered messages that somebody taught as another class since the Watch began
	Learned     int     `json:"learned"`     // documents learned automatically
	Wrong       int     `json:"wrong"`       // how many of them were corrected

	// Drift describes what has changed too much, "" if nothing has.
	Drift string `json:"-"`
}

// Mail has changed if the distance of the scores, or the increase of the share of unsure answers, is more.
const maxDistance, maxUnsure = .4, .2

// Scores are counted in bins of a bit each, from -maxBits to maxBits.
const (
	maxBits = 30
	bins    = 2*maxBits + 1
)

// A Watch counts answers and corrections. Its methods may be called from many goroutines.
type Watch struct {
	Window int     // number of last answers, and of first answers, that are compared; set before use
	Error  float64 // share of automatically learned documents that may be wrong; set before use

	mu sync.Mutex
	seen
}

type seen struct {
	first  []answer // Window of them
	last   []answer // as many of those behind
	counts State    // without what State computes
	errors []int    // by correction in the window: answers before it
}

type answer struct {
	bin      int
	unsure   bool
	expected float64 // error
}

// window sums answers.
type window struct {
	unsure, expected float64       // share, and errors
	bins             [bins]float64 // shares
}

func windowOf(list []answer) (w window) {
	one := 1 / float64(len(list))
	for _, a := range list {
		w.bins[a.bin] += one
		w.expected += a.expected
		if a.unsure {
			w.unsure++
		}
	}
	w.unsure /= float64(max(1, len(list)))
	return w
}

// New returns a Watch that allows a share of automatically learned documents to be wrong.
func New(allowed float64) *Watch { return &Watch{Window: 500, Error: allowed} }

// Reset forgets everything: the next answers are the ones that later answers are compared with.
func (w *Watch) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = seen{}
}

// Answered counts an answer with its score, in bits, and the probability of its class.
func (w *Watch) Answered(score, probability float64, unsure bool) {
	if math.IsNaN(score + probability) {
		return
	}
	a := answer{int(math.Round(max(-maxBits, min(maxBits, score)))) + maxBits, unsure, 1 - probability}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Answers++
	if len(w.first) < w.Window {
		w.first = append(w.first, a)
	} else if w.last = append(w.last, a); len(w.last) > w.Window {
		w.last = w.last[1:]
	}
}

// Corrected counts an answered message that somebody has taught as another class.
func (w *Watch) Corrected() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Corrections++
	w.errors = append(w.errors, w.counts.Answers)
}

// Learned counts a document that was learned automatically.
func (w *Watch) Learned() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Learned++
}

// Wrong counts an automatically learned document that somebody has corrected.
func (w *Watch) Wrong() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Wrong++
}

// State returns the counts so far.
func (w *Watch) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	first, last := windowOf(w.first), windowOf(w.last)
	s := w.counts
	s.Unsure = last.unsure
	for len(w.errors) > 0 && w.errors[0] < s.Answers-w.Window {
		w.errors = w.errors[1:]
	}
	expected, full := last.expected, len(w.last) == w.Window
	if full {
		s.Distance = distance(&first, &last)
	} else {
		expected += first.expected
	}
	mistakes, errors := most(w.Error*float64(s.Learned)), most(expected)
	switch {
	case s.Wrong > mistakes:
		s.Drift = fmt.Sprintf("%d of %d documents learned automatically were corrected, where at most %d were to be expected", s.Wrong, s.Learned, mistakes)
	case len(w.errors) > errors:
		s.Drift = fmt.Sprintf("%d of the last answers were corrected, where at most %d were to be expected", len(w.errors), errors)
	case full && s.Unsure > first.unsure+maxUnsure:
		s.Drift = fmt.Sprintf("%.0f %% of the last %d answers are unsure, and %.0f %% were before", 100*s.Unsure, w.Window, 100*first.unsure)
	case full && s.Distance > maxDistance:
		s.Drift = fmt.Sprintf("the scores of the last %d answers are not distributed as before: distance %.2f", w.Window, s.Distance)
	}
	return s
}

// distance is the greatest difference of the distribution functions.
func distance(a, b *window) float64 {
	most, sum := 0.0, 0.0
	for i := range bins {
		sum += a.bins[i] - b.bins[i]
		most = max(most, math.Abs(sum))
	}
	return most
}

// fewest is the number of errors below which no drift is reported.
const fewest = 3

// most returns the number of errors that a Poisson distribution with this mean exceeds
// once in a thousand times: up to it, errors are no sign of drift.
func most(mean float64) int {
	if mean > 500 {
		return int(mean + 3.1*math.Sqrt(mean)) // e^-mean may be 0
	}
	k, p := 0, math.Exp(-mean)
	for sum := p; sum < .999; sum += p {
		k++
		p *= mean / float64(k)
	}
	return max(k, fewest)
}
