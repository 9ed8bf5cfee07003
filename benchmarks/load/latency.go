//go:build linux

package load

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// target takes requests, one a connection.
type target struct {
	address string
	ok      string // the beginning of a good reply
	half    bool   // the client ends its half first
}

// ask makes one request.
func (t target) ask(request []byte) ([]byte, error) {
	reply, err := harness.Ask(t.address, request, t.half)
	if err == nil && !bytes.HasPrefix(reply, []byte(t.ok)) {
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

// span is the cost of a part of a measurement.
type span struct {
	daemon                *harness.Daemon
	start                 time.Time
	server, us, busy, all time.Duration // as they were
	wall, spent           time.Duration
	others                float64 // the share of the machine that others had
}

func watch(d *harness.Daemon) *span {
	s := &span{daemon: d, start: time.Now(), server: harness.TreeCost(d.PIDs()...).CPU, us: harness.CPU()}
	s.busy, s.all = harness.Machine()
	return s
}

func (s *span) end() {
	s.wall, s.spent = time.Since(s.start), harness.TreeCost(s.daemon.PIDs()...).CPU-s.server
	busy, all := harness.Machine()
	s.others = max(0, float64(busy-s.busy-s.spent-harness.CPU()+s.us)/float64(max(all-s.all, 1)))
}

// half measures the greatest rate of the daemon and returns half of it, in messages a second.
func (b *bench) half(ctx context.Context) float64 {
	var rates []float64
	for range 3 {
		took := b.answer.flood(ctx, checks(b.asked), b.connections)
		rates = append(rates, float64(len(b.asked))/took.Seconds())
	}
	fmt.Printf("Half load is %.0f messages a second. Medians of %d times %v, of p99 also the least and the most.\n", harness.Median(rates)/2, b.rounds, b.seconds)
	return harness.Median(rates) / 2
}

func head() {
	harness.Head("", "answers a second", "failed", "p50 ms", "p99 ms", "p99.9 ms", "most ms", "daemon used of a core %", "others had of the machine %")
}

// steady asks at a rate for a time in each round, while another function, or nil, runs,
// prints a row of medians, and returns the 99th percentiles.
func (b *bench) steady(ctx context.Context, name string, rate float64, requests [][]byte, beside func(context.Context)) []float64 {
	var answered, p50, p99, p999, most, used, others []float64
	failed, first := 0, error(nil)
	for range b.rounds {
		within, cancel := context.WithTimeout(ctx, b.seconds)
		end := background(within, beside)
		s := watch(b.daemon)
		t := b.answer.pace(within, rate, func(i int) []byte { return requests[i%len(requests)] })
		s.end()
		end()
		cancel()
		q := func(x float64) float64 { return harness.Quantile(t.taken, x) }
		answered, p50, p99 = append(answered, float64(len(t.taken))/s.wall.Seconds()), append(p50, q(.5)), append(p99, q(.99))
		p999, most, used, others = append(p999, q(.999)), append(most, q(1)), append(used, 100*s.spent.Seconds()/s.wall.Seconds()), append(others, 100*s.others)
		if failed += t.failed; first == nil {
			first = t.first
		}
		b.settle(ctx)
	}
	m := func(x []float64, decimals int) string { return harness.Number(harness.Median(x), decimals) }
	harness.Row(name, m(answered, 0), failed, m(p50, 2), harness.Spread(p99, 1), m(p999, 1), m(most, 1), m(used, 0), m(others, 0))
	if failed > 0 {
		fmt.Println("the first that failed:", first)
	}
	return p99
}

// latency measures answers alone and while the daemon learns.
func latency(ctx context.Context, b *bench) {
	rate := b.half(ctx)
	asked := checks(b.asked)
	head()
	b.steady(ctx, "alone", rate, asked, nil)
	var number, learned, failed atomic.Int64
	lesson := func() []byte { return tell(b.fresh(int(number.Add(1))), "", "Set") }
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
	goal("p99 during a bulk training, ms", harness.Median(p99), longestAnswer)
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
	c, err := harness.Dial(b.answer.address)
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
	asked := checks(b.asked)
	head()
	b.steady(ctx, "alone", rate, asked, nil)
	var open atomic.Int64
	end := background(ctx, func(ctx context.Context) { b.crowd(ctx, b.idle, b.drips, &open) })
	defer end()
	for limit := time.Now().Add(harness.Patience); int(open.Load()) < b.idle+b.drips && time.Now().Before(limit) && ctx.Err() == nil; {
		pause(ctx, 50*time.Millisecond)
	}
	b.steady(ctx, fmt.Sprintf("beside %d idle and %d slow", b.idle, b.drips), rate, asked, nil)
	fmt.Printf("\nAt the end %d of them were open: %v. Load average %s\n", open.Load(), b.state(), harness.Load())
}

// users measures answers from users' databases, more than can be open at a time.
func users(ctx context.Context, b *bench) {
	rate := b.half(ctx)
	name := func(i int) string { return fmt.Sprintf("user%d", i) }
	var teach [][]byte
	for i := range b.users {
		for _, class := range []string{"ham", "spam"} {
			teach = append(teach, tell(harness.Of(b.asked, class)[0], name(i), "Set"))
		}
	}
	s := watch(b.daemon)
	b.teacher.flood(ctx, teach, b.connections)
	s.end()
	fmt.Printf("%d users' databases were made and taught 2 messages each in %.1f s, %.1f CPU s: %v\n", b.users, s.wall.Seconds(), s.spent.Seconds(), b.state())
	b.settle(ctx)
	head()
	r := rand.New(rand.NewPCG(3, 4))
	for _, mix := range []struct {
		name string
		user func() int
	}{
		{"all of them open", func() int { return r.IntN(min(b.users, openDatabases)) }},
		{fmt.Sprintf("%d by Zipf's law", b.users), func() int { return int(math.Pow(float64(b.users), r.Float64())) - 1 }},
		{fmt.Sprintf("%d, all alike", b.users), func() int { return r.IntN(b.users) }},
	} {
		asked := requests(b.asked, func(d harness.Document) []byte { return check(d, name(mix.user())) })
		b.answer.flood(ctx, asked[:min(len(asked), 200)], b.connections)
		most := float64(len(asked)) / b.answer.flood(ctx, asked, b.connections).Seconds()
		b.steady(ctx, fmt.Sprintf("%s: at most %.0f a second", mix.name, most), min(rate, most/2), asked, nil)
	}
	fmt.Println("\nIn the end", b.state())
}

// state is the daemon's use of resources.
type state struct{ memory, descriptors, goroutines float64 }

// String names the figures.
func (s state) String() string {
	return fmt.Sprintf("%.0f MB, %.0f descriptors, %.0f goroutines", s.memory, s.descriptors, s.goroutines)
}

func (b *bench) state() (s state) {
	s.memory = float64(harness.Status(b.daemon.PID(), "VmRSS")) / (1 << 20)
	s.descriptors = float64(len(harness.Must(os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.daemon.PID())))))
	metrics := harness.Must(harness.Ask(filepath.Join(b.dir, "http.sock"), []byte("GET /metrics HTTP/1.0\r\n\r\n"), false))
	_, rest, _ := strings.Cut(string(metrics), "\ngo_goroutines ")
	line, _, _ := strings.Cut(rest, "\n")
	s.goroutines = harness.Must(strconv.ParseFloat(strings.TrimSpace(line), 64))
	return s
}

// soak keeps the daemon busy for a long time and checks that its use of resources stays
// constant: the second quarter is compared with the last, since the first warms up.
func soak(ctx context.Context, b *bench) {
	rate := min(b.half(ctx), 500)
	fmt.Printf("%v at %.0f messages a second, 20 trainings of which each is taken back, 100 idle and 20 slow connections.\n", b.soak, rate)
	var open atomic.Int64
	var answers, trainings *times
	asked := checks(b.asked)
	ends := []func(){
		background(ctx, func(ctx context.Context) { b.crowd(ctx, 100, 20, &open) }),
		background(ctx, func(ctx context.Context) {
			answers = b.answer.pace(ctx, rate, func(i int) []byte { return asked[i%len(asked)] })
		}),
		background(ctx, func(ctx context.Context) {
			trainings = b.teacher.pace(ctx, 20, func(i int) []byte {
				// What is learned now is forgotten 5 s later: a hundred of each in turns.
				return tell(b.fresh(i/200*100+i%100), "", []string{"Set", "Remove"}[i/100%2])
			})
		}),
	}
	var early, late [3][]float64
	start := time.Now()
	harness.Head("after", "use")
	for i := range 20 {
		pause(ctx, time.Until(start.Add(b.soak*time.Duration(i+1)/20)))
		s := b.state()
		harness.Row(time.Since(start).Round(time.Second), s)
		for k, x := range []float64{s.memory, s.descriptors, s.goroutines} {
			if i >= 15 {
				late[k] = append(late[k], x)
			} else if i >= 5 && i < 10 {
				early[k] = append(early[k], x)
			}
		}
	}
	for _, end := range ends {
		end()
	}
	fmt.Printf("\n%d answers, %d failed, p50 %.2f ms, p99 %.2f ms; %d trainings, %d failed. Load average %s\n", len(answers.taken), answers.failed,
		harness.Median(answers.taken), harness.Quantile(answers.taken, .99), len(trainings.taken), trainings.failed, harness.Load())
	for k, name := range []string{"memory", "descriptors", "goroutines"} {
		m := harness.Median(early[k])
		goal(name+" of the last quarter above that of the second, %", 100*(harness.Median(late[k])-m)/m, flatPercentage)
	}
}
