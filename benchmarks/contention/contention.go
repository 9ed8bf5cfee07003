// Package contention runs many processes of polya on one database at the same time: some
// ask, some train, as a mail server's deliveries and corrections do. It prints how many
// were refused and how long the others took. Each training is of a message that the
// database does not know yet.
package contention

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
)

// load is what runs at the same time.
type load struct {
	polya, mail, beside string
	ask, train          int
	time                time.Duration
}

// result is the outcome of the processes of one kind.
type result struct {
	name    string
	least   int // the fewest that a loop has done
	refused int
	first   string // the message of the first refused one

	mu    sync.Mutex
	times []float64 // ms
}

// Run is the measure.
func Run(_ context.Context, args []string) {
	var l load
	f := harness.Flags("contention [flags] [CORPUS]")
	f.IntVar(&l.ask, "ask", 20, "processes that ask at the same time")
	f.IntVar(&l.train, "train", 20, "processes that train at the same time")
	f.StringVar(&l.beside, "beside", "", "command of polya to run over and over beside them, such as calibrate")
	f.DurationVar(&l.time, "for", time.Minute, "how long")
	l.mail = append(harness.Parse(f, args, 0, 1), "testdata/mail/train")[0]
	dir, remove := harness.Scratch("")
	defer remove()
	l.polya = harness.Build(dir, "cmd/polya")
	harness.Head("", "done", "refused", "median ms", "p99 ms", "longest ms")
	for _, r := range l.run(dir) {
		harness.Row(r.name, len(r.times), r.refused, harness.Number(harness.Median(r.times), 0), harness.Number(harness.Quantile(r.times, .99), 0), harness.Number(harness.Quantile(r.times, 1), 0))
		if r.refused > 0 {
			fmt.Println("the first that was refused:", r.first)
		}
	}
}

// run makes a database of all messages in dir, and runs the load on it.
func (l *load) run(dir string) []*result {
	docs := harness.Folders(l.mail)
	command := func(stdin []byte, args ...string) *exec.Cmd {
		c := exec.Command(l.polya, append(args, "--quiet", "--db", filepath.Join(dir, "test.polya"))...)
		c.Stdin = bytes.NewReader(stdin)
		return c
	}
	if out, err := command(nil, "train", "--folders", l.mail).CombinedOutput(); err != nil {
		harness.Failf("%w: %s", err, out)
	}
	var started atomic.Int64
	results := []*result{{name: "ask"}, {name: "train"}}
	end := time.Now().Add(l.time)
	var all sync.WaitGroup
	loops := func(r *result, n int, once func(d harness.Document) *exec.Cmd) {
		done := make([]int, n)
		for first := range n {
			all.Go(func() {
				for i := first; time.Now().Before(end); i += n {
					done[first] += r.once(once(docs[i%len(docs)]))
				}
				r.mu.Lock()
				defer r.mu.Unlock()
				if r.least == 0 || done[first] < r.least {
					r.least = done[first]
				}
			})
		}
	}
	loops(results[0], l.ask, func(d harness.Document) *exec.Cmd { return command(d.Raw, "classify", "-") })
	loops(results[1], l.train, func(d harness.Document) *exec.Cmd {
		text := fmt.Appendf(nil, "Message-ID: <%d@contention.example>\n", started.Add(1))
		for line := range bytes.Lines(d.Raw) {
			if !bytes.HasPrefix(bytes.ToLower(line), []byte("message-id:")) {
				text = append(text, line...)
			}
		}
		return command(text, "train", d.Class, "-")
	})
	if l.beside != "" {
		results = append(results, &result{name: l.beside})
		loops(results[2], 1, func(harness.Document) *exec.Cmd { return command(nil, strings.Fields(l.beside)...) })
	}
	all.Wait()
	return results
}

// once runs a process, and returns 1 if it was not refused.
func (r *result) once(c *exec.Cmd) int {
	var said bytes.Buffer
	c.Stderr = &said
	start := time.Now()
	err := c.Run()
	took := time.Since(start)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if r.refused++; r.refused == 1 {
			r.first = fmt.Sprintf("%v: %s", err, bytes.TrimSpace(said.Bytes()))
		}
		return 0
	}
	r.times = append(r.times, harness.Milliseconds(took))
	return 1
}
