//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
)

// The goals, on two quiet cores.
const (
	timesSpamd     = 50   // messages a CPU second
	timesRspamd    = 8    // likewise
	messagesASec   = 3000 // wall
	longestAnswer  = 50.  // ms, p99 during a bulk training
	trainingsASec  = 200
	openDatabases  = 50
	flatPercentage = 10. // allowed increase at the end of a soak
)

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// A contender is asked in each round.
type contender struct {
	name              string
	target            *target
	pids              []int
	messages          []message
	requests          [][]byte
	spam              string
	wrong             float64
	aCPU, aWall, busy []float64
}

// speed makes the daemon and its peers answer in turns.
func speed(ctx context.Context, b *bench) error {
	polya := &contender{name: "polya", target: &b.server.target, pids: []int{b.server.pid()}, messages: b.corpus.asked, requests: checks(b.corpus.asked), spam: "Spam: True"}
	list := []*contender{polya}
	for _, p := range peers {
		if !slices.Contains(strings.Split(b.peers, ","), p.name) {
			continue
		}
		if why := p.missing(); why != "" {
			fmt.Printf("%s is left out: %s\n", p.name, why)
			continue
		}
		dir := b.dir + "/" + p.name
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		s, pids, err := p.start(ctx, dir, b.corpus)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		defer s.stop()
		messages := sampled(b.corpus.asked, p.sample*b.sample)
		list = append(list, &contender{name: p.name, target: &s.target, pids: pids, messages: messages, requests: p.request(messages), spam: p.spam})
	}
	// This also fills caches, and forks processes that start on demand.
	for _, c := range list {
		var err error
		if c.wrong, err = c.target.wrong(ctx, c.messages, c.requests, c.spam); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	polya.requests = slices.Repeat(polya.requests, 3) // clocks of processes tick in hundredths of a second
	for range b.rounds {
		for _, c := range list {
			if err := c.round(ctx, b.connections); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	fmt.Printf("%d connections at a time, medians of %d rounds, fewest and most of them; load average %s\n\n", b.connections, b.rounds, loadAverage())
	fmt.Println("| server | messages a round | wrong | a CPU second | a wall second | others had of the machine | CPU, times polya |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- |")
	best := median(polya.aCPU)
	for _, c := range list {
		fmt.Printf("| %s | %d | %.1f %% | %s | %s | %.0f %% | %.1f |\n", c.name, len(c.requests), 100*c.wrong, spread(c.aCPU), spread(c.aWall), 100*median(c.busy), best/median(c.aCPU))
	}
	fmt.Println()
	goal("messages a wall second", median(polya.aWall), messagesASec, true)
	for _, c := range list[1:] {
		times := float64(timesSpamd)
		if c.name == "rspamd" {
			times = timesRspamd
		}
		goal("messages a CPU second, times "+c.name, best/median(c.aCPU), times, true)
	}
	return nil
}

// round makes a server answer all requests once.
func (c *contender) round(ctx context.Context, connections int) error {
	s := watch(c.pids...)
	if _, err := c.target.flood(ctx, c.requests, connections); err != nil {
		return err
	}
	s.end()
	n := float64(len(c.requests))
	c.aCPU = append(c.aCPU, n/s.spent.Seconds())
	c.aWall = append(c.aWall, n/s.wall.Seconds())
	c.busy = append(c.busy, s.others)
	return nil
}

// sampled returns n messages at even distances, all of them if there are no more.
func sampled(list []message, n int) []message {
	if n >= len(list) {
		return list
	}
	sample := make([]message, n)
	for i := range sample {
		sample[i] = list[i*len(list)/n]
	}
	return sample
}

func spread(x []float64) string {
	return fmt.Sprintf("%.0f (%.0f to %.0f)", median(x), slices.Min(x), slices.Max(x))
}

func goal(what string, figure, goal float64, atLeast bool) {
	reached := figure <= goal
	words := "at most"
	if atLeast {
		reached, words = figure >= goal, "at least"
	}
	verdict := "reached"
	if !reached {
		verdict = "NOT REACHED"
	}
	fmt.Printf("Goal: %s: %.1f, %s %.0f: %s\n", what, figure, words, goal, verdict)
}
