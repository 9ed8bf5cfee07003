package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is what runs at the same time.
type load struct {
	polya, mail, beside string
	ask, train          int
	time                time.Duration

	database string
	messages []message
	started  atomic.Int64 // trainings
}

// message is one of the folder.
type message struct {
	class string
	text  []byte
}

// result is the outcome of the processes of one kind.
type result struct {
	name    string
	least   int // the fewest that a loop has done
	refused int
	first   string // the message of the first refused one
	times   []float64

	mu sync.Mutex
}

// quantile returns a quantile of the times, in milliseconds; 0 if there are none.
func (r *result) quantile(q float64) float64 {
	if len(r.times) == 0 {
		return 0
	}
	slices.Sort(r.times)
	return r.times[min(int(q*float64(len(r.times))), len(r.times)-1)]
}

// run makes a database of all messages in dir, and runs the load on it.
func (l *load) run(dir string) ([]*result, error) {
	l.database = filepath.Join(dir, "test.polya")
	if err := l.read(); err != nil {
		return nil, err
	}
	if out, err := l.command("train", "--quiet", "--folders", l.mail).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	ask, train, beside := &result{name: "ask"}, &result{name: "train"}, &result{name: l.beside}
	results := []*result{ask, train}
	end := time.Now().Add(l.time)
	var group sync.WaitGroup
	loops := func(r *result, n int, once func(i int) *exec.Cmd) {
		r.least = -1
		for first := range n {
			group.Go(func() {
				done := 0
				for i := first; time.Now().Before(end); i += n {
					done += r.once(once(i))
				}
				r.ended(done)
			})
		}
	}
	loops(ask, l.ask, l.asking)
	loops(train, l.train, l.training)
	if l.beside != "" {
		results = append(results, beside)
		loops(beside, 1, func(int) *exec.Cmd { return l.command(append(strings.Fields(l.beside), "--quiet")...) })
	}
	group.Wait()
	return results, nil
}

func (l *load) command(args ...string) *exec.Cmd {
	return exec.Command(l.polya, append(args, "--db", l.database)...)
}

func (l *load) asking(i int) *exec.Cmd {
	c := l.command("classify", "--quiet", "-")
	c.Stdin = bytes.NewReader(l.messages[i%len(l.messages)].text)
	return c
}

// training returns the training of a message with a unique line.
func (l *load) training(i int) *exec.Cmd {
	m := l.messages[i%len(l.messages)]
	c := l.command("train", "--quiet", m.class, "-")
	text := fmt.Appendf([]byte("Message-ID: <"), "%d@contention.example>\n", l.started.Add(1))
	for line := range bytes.Lines(m.text) {
		if !bytes.HasPrefix(bytes.ToLower(line), []byte("message-id:")) {
			text = append(text, line...)
		}
	}
	c.Stdin = bytes.NewReader(text)
	return c
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
	r.times = append(r.times, float64(took.Microseconds())/1000)
	return 1
}

func (r *result) ended(done int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.least < 0 || done < r.least {
		r.least = done
	}
}

// read reads the messages.
func (l *load) read() error {
	err := filepath.WalkDir(l.mail, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		l.messages = append(l.messages, message{filepath.Base(filepath.Dir(path)), text})
		return err
	})
	if err == nil && len(l.messages) == 0 {
		err = errors.New("no messages in " + l.mail)
	}
	return err
}
