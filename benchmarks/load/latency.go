//go:build linux

package load

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// target is the address of a daemon, which takes one request a connection.
type target string

// ask makes one request.
func (t target) ask(request []byte) ([]byte, error) {
	reply, err := harness.Ask(string(t), request, true)
	if err == nil && !bytes.HasPrefix(reply, []byte("SPAMD/1.1 0 EX_OK")) {
		err = fmt.Errorf("the answer is %.80q", reply)
	}
	return reply, err
}

// flood makes all requests, connections at a time, and returns the time taken.
func (t target) flood(ctx context.Context, requests [][]byte, connections int) time.Duration {
	start := time.Now()
	harness.Each(len(requests), connections, func(i int) {
		harness.Check(ctx.Err())
		harness.Must(t.ask(requests[i]))
	})
	return time.Since(start)
}

// times holds the durations of requests in ms, and the number of failures.
type times struct {
	mu     sync.Mutex
	taken  []float64
	failed int
	first  error
}

func (t *times) add(took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.taken = append(t.taken, harness.Milliseconds(took))
		return
	}
	if t.failed++; t.first == nil {
		t.first = err
	}
}

// pace makes a request at a fixed rate until ctx is done, whether the one before has its
// answer or not. Their time runs from their scheduled start.
func (t target) pace(ctx context.Context, rate float64, request func(i int) []byte) *times {
	result := &times{}
	var all sync.WaitGroup
	start := time.Now()
	for i := 0; ctx.Err() == nil; i++ {
		due := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if pause(ctx, time.Until(due)); ctx.Err() == nil {
			r := request(i)
			all.Go(func() {
				_, err := t.ask(r)
				result.add(time.Since(due), err)
			})
		}
	}
	all.Wait()
	return result
}

// half measures the greatest rate of the daemon and returns half of it, in messages a second.
func (b *bench) half(ctx context.Context) float64 {
	var rates []float64
	for range 3 {
		took := b.answer.flood(ctx, requests(b.asked, check), b.connections)
		rates = append(rates, float64(len(b.asked))/took.Seconds())
	}
	fmt.Printf("Half load is %.0f messages a second. Medians of %d times %v, of p99 also the least and the most.\n", harness.Median(rates)/2, b.rounds, b.seconds)
	return harness.Median(rates) / 2
}

func head() {
	harness.Head("", "answers a second", "failed", "p50 ms", "p99 ms", "p99.9 ms", "most ms", "daemon used of a core %")
}

// steady asks at a rate for a time in each round, while another function, or nil, runs,
// prints a row of medians, and returns the 99th percentiles.
func (b *bench) steady(ctx context.Context, name string, rate float64, requests [][]byte, beside func(context.Context)) []float64 {
	var answered, p50, p99, p999, most, used []float64
	failed, first := 0, error(nil)
	for range b.rounds {
		within, cancel := context.WithTimeout(ctx, b.seconds)
		end := background(within, beside)
		began, before := time.Now(), harness.TreeCost(b.daemon.PIDs()...).CPU
		t := b.answer.pace(within, rate, func(i int) []byte { return requests[i%len(requests)] })
		wall, spent := time.Since(began).Seconds(), harness.TreeCost(b.daemon.PIDs()...).CPU-before
		end()
		cancel()
		q := func(x float64) float64 { return harness.Quantile(t.taken, x) }
		answered, p50, p99 = append(answered, float64(len(t.taken))/wall), append(p50, q(.5)), append(p99, q(.99))
		p999, most, used = append(p999, q(.999)), append(most, q(1)), append(used, 100*spent.Seconds()/wall)
		if failed += t.failed; first == nil {
			first = t.first
		}
		b.settle(ctx)
	}
	m := func(x []float64, decimals int) string { return harness.Number(harness.Median(x), decimals) }
	harness.Row(name, m(answered, 0), failed, m(p50, 2), harness.Spread(p99, 1), m(p999, 1), m(most, 1), m(used, 0))
	if failed > 0 {
		fmt.Println("the first that failed:", first)
	}
	return p99
}

// latency measures answers alone and while the daemon learns.
func latency(ctx context.Context, b *bench) {
	rate := b.half(ctx)
	asked := requests(b.asked, check)
	head()
	b.steady(ctx, "alone", rate, asked, nil)
	var number, learned, failed atomic.Int64
	lesson := func() []byte { return tell(b.fresh(int(number.Add(1)))) }
	b.steady(ctx, fmt.Sprintf("at %d trainings a second", trainingsASec), rate, asked, func(ctx context.Context) {
		failed.Add(int64(b.teacher.pace(ctx, trainingsASec, func(int) []byte { return lesson() }).failed))
	})
	p99 := b.steady(ctx, "during a bulk training", rate, asked, func(ctx context.Context) {
		harness.Each(16, 16, func(int) {
			for ctx.Err() == nil {
				if _, err := b.teacher.ask(lesson()); err != nil {
					failed.Add(1)
				} else {
					learned.Add(1)
				}
			}
		})
	})
	fmt.Printf("\nThe bulk training, 16 at a time, learned %d messages, %.0f a second; %d trainings failed. Load average %s\n", learned.Load(),
		float64(learned.Load())/b.seconds.Seconds()/float64(b.rounds), failed.Load(), harness.Load())
	fmt.Printf("\nGoal: p99 during a bulk training: %.1f ms, wanted %d\n", harness.Median(p99), longestAnswer)
}

// background runs a function, if there is one, until the returned one is called.
func background(ctx context.Context, f func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if f != nil {
			f(ctx)
		}
	}()
	return func() { cancel(); <-done }
}

// pause waits unless ctx is done.
func pause(ctx context.Context, d time.Duration) {
	if d > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
}

// crowd opens connections until ctx is done: some idle, and some that send a byte of their
// request every 100 ms, alternately of the head and of the message. It counts the open.
func (b *bench) crowd(ctx context.Context, idle, drips int, open *atomic.Int64) {
	harness.Each(idle+drips, idle+drips, func(i int) {
		text := ""
		if i >= idle {
			text = "CHECK SPAMC/1.5\r\nUser: " + strings.Repeat("x", 1000) + "\r\n"
			if i%2 == 0 {
				text = "CHECK SPAMC/1.5\r\nContent-length: 5000\r\n\r\n" + strings.Repeat("slow\r\n", 1000)
			}
		}
		for ; ctx.Err() == nil; pause(ctx, 10*time.Millisecond) { // the daemon closes them after a time
			b.linger(ctx, text, open)
		}
	})
}

func (b *bench) linger(ctx context.Context, text string, open *atomic.Int64) {
	c, err := harness.Dial(string(b.answer))
	if err != nil {
		pause(ctx, 100*time.Millisecond)
		return
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })()
	open.Add(1)
	defer open.Add(-1)
	gone, end := context.WithCancel(ctx)
	go func() {
		defer end()
		c.Read(make([]byte, 1)) // nothing, or a refusal
	}()
	for i := 0; i < len(text) && gone.Err() == nil; i++ {
		if _, err := c.Write([]byte(text[i : i+1])); err != nil {
			break
		}
		pause(gone, 100*time.Millisecond)
	}
	<-gone.Done()
}

// clients measures answers beside a crowd.
func clients(ctx context.Context, b *bench) {
	rate := b.half(ctx)
	asked := requests(b.asked, check)
	head()
	b.steady(ctx, "alone", rate, asked, nil)
	var open atomic.Int64
	end := background(ctx, func(ctx context.Context) { b.crowd(ctx, b.idle, b.drips, &open) })
	defer end()
	for limit := time.Now().Add(harness.Patience); int(open.Load()) < b.idle+b.drips && time.Now().Before(limit) && ctx.Err() == nil; {
		pause(ctx, 50*time.Millisecond)
	}
	b.steady(ctx, fmt.Sprintf("beside %d idle and %d slow", b.idle, b.drips), rate, asked, nil)
	fmt.Printf("\nAt the end %d of them were open. Load average %s\n", open.Load(), harness.Load())
}
