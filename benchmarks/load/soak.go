//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// soak keeps the daemon busy for a long time and checks that its use of resources stays constant.
func soak(ctx context.Context, b *bench) error {
	rate, err := b.half(ctx)
	if err != nil {
		return err
	}
	rate = min(rate, 500)
	fmt.Printf("%v at %.0f messages a second, 20 trainings of which each is taken back, 100 idle and 20 slow connections.\n\n", b.soak, rate)
	var c crowd
	endCrowd := background(ctx, func(ctx context.Context) { c.gather(ctx, &b.server.target, 100, 20) })
	defer endCrowd()
	asked := checks(b.corpus.asked)
	var answers, trainings *times
	endAsking := background(ctx, func(ctx context.Context) {
		answers = b.server.pace(ctx, rate, func(i int) []byte { return asked[i%len(asked)] })
	})
	endTeaching := background(ctx, func(ctx context.Context) {
		trainings = b.server.teacher.pace(ctx, 20, func(i int) []byte {
			// A message learned now is forgotten 10 s later: a hundred of each in turns.
			number := i/200*100 + i%100
			if i/100%2 == 0 {
				return b.corpus.fresh(number).tell("", "Set")
			}
			return b.corpus.fresh(number).tell("", "Remove")
		})
	})
	looks, err := b.look(ctx)
	endAsking()
	endTeaching()
	endCrowd()
	if err != nil {
		return err
	}
	fmt.Printf("\n%d answers, %d failed, p50 %.2f ms, p99 %.2f ms; %d trainings, %d failed, p99 %.2f ms. Load average %s\n",
		len(answers.taken), answers.failed, answers.at(.5), answers.at(.99), len(trainings.taken), trainings.failed, trainings.at(.99), loadAverage())
	if answers.failed+trainings.failed > 0 {
		fmt.Println("the first that failed:", answers.first, trainings.first)
	}
	flat(looks)
	return ctx.Err()
}

// A look is the daemon's use of resources at one moment.
type look struct {
	state
	about
}

// look prints the daemon's use of resources at twenty moments.
func (b *bench) look(ctx context.Context) ([]look, error) {
	fmt.Println("| after | resident MB | heap MB | descriptors | threads | goroutines |\n| --- | --- | --- | --- | --- | --- |")
	start := time.Now()
	var list []look
	for i := range 20 {
		due := start.Add(b.soak * time.Duration(i+1) / 20)
		pause(ctx, time.Until(due))
		if ctx.Err() != nil {
			return list, nil
		}
		s, err := stateOf(b.server.pid())
		if err != nil {
			return nil, err
		}
		a, err := b.server.about()
		if err != nil {
			return nil, err
		}
		list = append(list, look{s, a})
		fmt.Printf("| %v | %.0f | %.0f | %d | %d | %.0f |\n", time.Since(start).Round(time.Second), s.memory, a.heap/(1<<20), s.descriptors, s.threads, a.goroutines)
	}
	return list, nil
}

// flat compares the second quarter of a soak with the last: the first warms up.
func flat(looks []look) {
	if len(looks) < 8 {
		return
	}
	quarter := len(looks) / 4
	for _, what := range []struct {
		name string
		of   func(look) float64
	}{
		{"memory", func(l look) float64 { return l.memory }},
		{"descriptors", func(l look) float64 { return float64(l.descriptors) }},
		{"goroutines", func(l look) float64 { return l.goroutines }},
	} {
		var early, late []float64
		for i, l := range looks {
			switch {
			case i >= len(looks)-quarter:
				late = append(late, what.of(l))
			case i >= quarter && i < 2*quarter:
				early = append(early, what.of(l))
			}
		}
		if m := median(early); m > 0 {
			goal(what.name+" of the last quarter above that of the second, %", 100*(median(late)-m)/m, flatPercentage, false)
		}
	}
}
