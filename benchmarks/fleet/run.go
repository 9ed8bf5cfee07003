//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// scenario is the result of the trainings during a fault.
type scenario struct {
	fault fault
	node  int // the affected node, or all
	teach *teaching

	began, ended time.Time // of the fault, if there was one
	taught       time.Time // the last training was acknowledged
	settled      time.Time // all nodes had applied all

	gap   time.Duration   // the longest time without an acknowledgement
	waits []time.Duration // for acknowledgements, sorted
	lags  [][]lagged      // of each node
	load  string
}

// longest is how long a scenario may take.
const longest = 20 * time.Minute

// run teaches n lessons, runs the fault meanwhile, and waits until all nodes have applied
// all.
func (f *fleet) run(ctx context.Context, x fault, n, callers int, progress io.Writer) (*scenario, error) {
	within, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	s := &scenario{fault: x, node: none, teach: f.teach(within, n, callers)}
	err := s.happen(within, f, n, progress)
	if err != nil {
		cancel()
	}
	f.callers.Wait()
	s.taught = time.Now()
	if err == nil && within.Err() != nil {
		err = fmt.Errorf("%d trainings of %d messages acknowledged: %w; the first that failed: %v", s.teach.count(), n, within.Err(), s.teach.first)
	}
	if err == nil {
		err = f.settled(ctx)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", x.name, err)
	}
	s.settled = time.Now()
	time.Sleep(5 * look) // the positions are seen
	s.measure(f)
	return s, nil
}

// happen begins the fault when a quarter is taught, and ends it.
func (s *scenario) happen(ctx context.Context, f *fleet, n int, progress io.Writer) (err error) {
	x := s.fault
	if x.of == nil {
		return nil
	}
	if s.node, err = x.of(ctx, f); err != nil {
		return err
	}
	f.acknowledged(ctx, s.teach, n/4, longest)
	say(progress, "%s: begins", x.name)
	s.began = time.Now()
	if err := x.begin(ctx, f, s.node); err != nil {
		return err
	}
	f.acknowledged(ctx, s.teach, n*3/4, x.lasts)
	err = x.end(ctx, f, s.node)
	s.ended = time.Now()
	say(progress, "%s: is over", x.name)
	return err
}

// acknowledged waits until n trainings are acknowledged, but not longer than atMost.
func (f *fleet) acknowledged(ctx context.Context, t *teaching, n int, atMost time.Duration) {
	limit := time.Now().Add(atMost)
	for t.count() < n && time.Now().Before(limit) && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *scenario) measure(f *fleet) {
	s.gap = s.teach.gap()
	for _, a := range s.teach.acks {
		s.waits = append(s.waits, a.took)
	}
	slices.Sort(s.waits)
	for _, n := range f.nodes {
		s.lags = append(s.lags, f.lags(s.teach.acks, n))
	}
	load, _ := os.ReadFile("/proc/loadavg")
	s.load, _, _ = strings.Cut(string(load), " ")
}

// Three figures in a cell are the median, the 99th percentile and the longest.
const head = "| fault | of node | trainings | a second | tries that failed | longest gap s | behind for s | wait ms | lag ms: a | b | c | load |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

// row returns the scenario's row of the table; see behind.
func (s *scenario) row() string {
	of, behind := map[int]string{none: "–", all: "all"}[s.node], "–"
	if s.node >= 0 {
		of = name(s.node)
	}
	if !s.ended.IsZero() {
		behind = fmt.Sprintf("%.1f", s.behind().Seconds())
	}
	row := fmt.Sprintf("| %s | %s | %d | %.0f | %d | %.1f | %s | %s |", s.fault.name, of, len(s.teach.acks),
		float64(len(s.teach.acks))/s.taught.Sub(s.teach.started).Seconds(), s.teach.failed, s.gap.Seconds(), behind, three(s.waits))
	for _, l := range s.lags {
		var sorted []time.Duration
		for _, l := range l {
			sorted = append(sorted, l.lag)
		}
		slices.Sort(sorted)
		row += " " + three(sorted) + " |"
	}
	return row + " " + s.load + " |\n"
}

// behind returns how long after the fault the last node had applied all trainings that
// were acknowledged before its end.
func (s *scenario) behind() (longest time.Duration) {
	for _, l := range s.lags {
		for _, l := range l {
			if l.at.Before(s.ended) {
				longest = max(longest, l.at.Add(l.lag).Sub(s.ended))
			}
		}
	}
	return longest
}

// three quantiles in milliseconds.
func three(sorted []time.Duration) string {
	ms := func(share float64) float64 { return float64(quantile(sorted, share)) / float64(time.Millisecond) }
	return fmt.Sprintf("%.0f / %.0f / %.0f", ms(.5), ms(.99), ms(1))
}
