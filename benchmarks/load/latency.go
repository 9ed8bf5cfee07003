//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// half measures the greatest rate of the daemon and returns half of it, in messages a second.
func (b *bench) half(ctx context.Context) (float64, error) {
	if b.rate > 0 {
		return b.rate / 2, nil
	}
	all := checks(b.corpus.asked)
	var rates []float64
	for range 3 {
		took, err := b.server.flood(ctx, all, b.connections)
		if err != nil {
			return 0, err
		}
		rates = append(rates, float64(len(all))/took.Seconds())
	}
	b.rate = median(rates)
	return b.rate / 2, nil
}

// A series holds the measurements of answers, one element per round.
type series struct {
	rate, p50, p99, p999, most, used, others []float64
	failed                                   int
	first                                    error
}

// steady asks at a rate for a time in each round, while another function, or nil, runs,
// and prints a row of medians.
func (b *bench) steady(ctx context.Context, name string, rate float64, requests [][]byte, beside func(context.Context)) (*series, error) {
	r := &series{}
	for range b.rounds {
		within, cancel := context.WithTimeout(ctx, b.seconds)
		end := func() {}
		if beside != nil {
			end = background(within, beside)
		}
		s := watch(b.server.pid())
		t := b.server.pace(within, rate, func(i int) []byte { return requests[i%len(requests)] })
		s.end()
		end()
		cancel()
		r.add(t, s)
		if err := b.settle(ctx); err != nil {
			return nil, err
		}
	}
	fmt.Printf("| %s | %.0f | %d | %.2f | %.2f (%.1f to %.1f) | %.2f | %.1f | %.0f %% | %.0f %% |\n", name, median(r.rate), r.failed,
		median(r.p50), median(r.p99), slices.Min(r.p99), slices.Max(r.p99), median(r.p999), median(r.most), 100*median(r.used), 100*median(r.others))
	if r.failed > 0 {
		fmt.Println("the first that failed:", r.first)
	}
	return r, ctx.Err()
}

func (r *series) add(t *times, s *span) {
	r.rate = append(r.rate, float64(len(t.taken))/s.wall.Seconds())
	r.p50, r.p99, r.p999, r.most = append(r.p50, t.at(.5)), append(r.p99, t.at(.99)), append(r.p999, t.at(.999)), append(r.most, t.at(1))
	r.used, r.others = append(r.used, s.spent.Seconds()/s.wall.Seconds()), append(r.others, s.others)
	if r.failed += t.failed; r.first == nil {
		r.first = t.first
	}
}

const latencies = "| | answers a second | failed | p50 ms | p99 ms | p99.9 ms | most ms | daemon used of a core | others had of the machine |\n" +
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

// latency measures answers alone and while the daemon learns.
func latency(ctx context.Context, b *bench) error {
	rate, err := b.half(ctx)
	if err != nil {
		return err
	}
	asked := checks(b.corpus.asked)
	fmt.Printf("Half load is %.0f messages a second. Medians of %d times %v, of p99 also the least and the most.\n\n%s", rate, b.rounds, b.seconds, latencies)
	if _, err := b.steady(ctx, "alone", rate, asked, nil); err != nil {
		return err
	}
	number := 0 // of what is learned
	var trainings series
	slowly := func(ctx context.Context) {
		s := watch(b.server.pid())
		t := b.server.teacher.pace(ctx, trainingsASec, func(int) []byte { number++; return b.corpus.fresh(number).tell("", "Set") })
		trainings.add(t, s.end())
	}
	if _, err := b.steady(ctx, fmt.Sprintf("at %d trainings a second", trainingsASec), rate, asked, slowly); err != nil {
		return err
	}
	fmt.Printf("| (the trainings) | %.0f | %d | %.2f | %.2f (%.1f to %.1f) | %.2f | %.1f | | |\n", median(trainings.rate), trainings.failed,
		median(trainings.p50), median(trainings.p99), slices.Min(trainings.p99), slices.Max(trainings.p99), median(trainings.p999), median(trainings.most))
	if trainings.failed > 0 {
		fmt.Println("the first that failed:", trainings.first)
	}
	var bulk bulk
	r, err := b.steady(ctx, "during a bulk training", rate, asked, func(ctx context.Context) { bulk.learn(ctx, b, &number) })
	if err != nil {
		return err
	}
	fmt.Printf("\nThe bulk training, 16 at a time, learned %d messages, %.0f a second, and failed with %d. Load average %s\n", bulk.learned.Load(),
		float64(bulk.learned.Load())/bulk.took.Seconds(), bulk.failed.Load(), loadAverage())
	goal("p99 during a bulk training, ms", median(r.p99), longestAnswer, false)
	return ctx.Err()
}

// bulk counts messages learned without a pause.
type bulk struct {
	learned, failed atomic.Int64
	took            time.Duration
}

// learn learns messages, 16 at a time, until ctx is done.
func (r *bulk) learn(ctx context.Context, b *bench, number *int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	start := time.Now()
	for range 16 {
		all.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				*number++
				n := *number
				mu.Unlock()
				if err := b.server.teacher.send(b.corpus.fresh(n).tell("", "Set")); err != nil {
					r.failed.Add(1)
					pause(ctx, 10*time.Millisecond)
					continue
				}
				r.learned.Add(1)
			}
		})
	}
	all.Wait()
	r.took += time.Since(start)
}

// background runs a function until the returned one is called.
func background(ctx context.Context, f func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	return func() { cancel(); <-done }
}

// pause waits unless ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
