//go:build unix

// Answers measures how long answers take while the database learns.
//
//	answers [-before N] [-rate N] [-trainers N] [-users N] CORPUS
//
// CORPUS is a folder of folders of messages, a class each. Some messages are learned
// beforehand and the rest during the measurement, from N goroutines (-trainers), which
// never pause; questions are sent at a fixed rate, whether the one before has its answer
// or not, and their time runs from their scheduled start.
//
// With -users, N users have taught 20 messages each, and each question is for one of them,
// drawn at random; 50 of their databases are open at a time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
)

var users int

func user(i int) string {
	if users == 0 {
		return ""
	}
	return fmt.Sprint("user", i%users)
}

type message struct {
	class string
	raw   []byte
}

func main() {
	log.SetFlags(0)
	before := flag.Int("before", 3000, "messages learned before")
	rate := flag.Int("rate", 200, "questions a second")
	trainers := flag.Int("trainers", 8, "goroutines that train; 0 for questions alone")
	perSecond := flag.Int("trainings", 0, "trainings a second, 0 for as many as can be")
	spam := flag.String("spam", "spam", "the class that is spam, empty for none")
	seconds := flag.Int("seconds", 10, "how long without trainers")
	flag.IntVar(&users, "users", 0, "users")
	flag.Parse()
	messages, err := read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	if err := run(messages, *before, *rate, *trainers, *perSecond, *spam, time.Duration(*seconds)*time.Second); err != nil {
		log.Fatal(err)
	}
}

// read returns the messages below dir in an order drawn once for all.
func read(dir string) ([]message, error) {
	var list []message
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(dir, folder.Name(), "*"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			list = append(list, message{folder.Name(), raw})
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list, nil
}

func run(messages []message, before, rate, trainers, perSecond int, spam string, alone time.Duration) error {
	dir, err := os.MkdirTemp("", "answers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var classes []string
	for _, m := range messages {
		if !slices.Contains(classes, m.class) {
			classes = append(classes, m.class)
		}
	}
	e, err := engine.New(engine.Options{Path: filepath.Join(dir, "polya.db"), Spam: strings.Fields(spam), Classes: classes, Users: engine.Users{
		Path: filepath.Join(dir, "users", "%u.polya"), Known: func(string) bool { return true },
	}})
	if err != nil {
		return err
	}
	defer e.Close()
	before = min(before, len(messages))
	if _, err := train(e, messages[:before], 64, 0); err != nil {
		return err
	}
	start := time.Now()
	for i := range 20 * users {
		m := messages[i*31%len(messages)]
		if _, err := e.Learn(context.Background(), backend.Request{User: user(i / 20), Message: m.raw, Source: "answers"}, m.class); err != nil {
			return err
		}
	}
	if users > 0 {
		fmt.Printf("%d users taught 20 messages each in %.1f s\n", users, time.Since(start).Seconds())
	}
	time.Sleep(5 * time.Second) // it calibrates

	end := make(chan struct{})
	var taken []time.Duration
	var asking sync.WaitGroup
	asking.Go(func() { taken = ask(e, messages, rate, end) })
	cpu := used()
	start = time.Now()
	learned := 0
	if trainers == 0 {
		time.Sleep(alone)
	} else if learned, err = train(e, messages[before:], trainers, perSecond); err != nil {
		return err
	}
	took, burnt := time.Since(start), used()-cpu
	close(end)
	asking.Wait()
	slices.Sort(taken)
	at := func(share float64) time.Duration {
		return taken[min(int(share*float64(len(taken))), len(taken)-1)].Round(10 * time.Microsecond)
	}
	fmt.Printf("%d trainings in %.1f s, %.0f a second; %d questions; CPU %.1f s\n", learned, took.Seconds(), float64(learned)/took.Seconds(), len(taken), burnt.Seconds())
	fmt.Printf("an answer took p50 %v  p90 %v  p99 %v  p99.9 %v  most %v\n", at(.5), at(.9), at(.99), at(.999), at(1))
	return nil
}

// train learns the messages from n goroutines.
func train(e *engine.Engine, messages []message, n, perSecond int) (int, error) {
	var next, learned atomic.Int64
	var failed atomic.Value
	var all sync.WaitGroup
	start := time.Now()
	for range n {
		all.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(messages) {
					return
				}
				if perSecond > 0 {
					time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
				}
				out, err := e.Learn(context.Background(), backend.Request{Message: messages[i].raw, Source: "answers"}, messages[i].class)
				if err != nil {
					failed.Store(err)
				}
				if out == backend.Learned {
					learned.Add(1)
				}
			}
		})
	}
	all.Wait()
	err, _ := failed.Load().(error)
	return int(learned.Load()), err
}

// ask asks questions at that rate until end is closed, and returns how long each took.
func ask(e *engine.Engine, messages []message, rate int, end chan struct{}) []time.Duration {
	var mu sync.Mutex
	var taken []time.Duration
	var all sync.WaitGroup
	start := time.Now()
	for i := 0; ; i++ {
		due := start.Add(time.Duration(i) * time.Second / time.Duration(rate))
		select {
		case <-end:
			all.Wait()
			return taken
		case <-time.After(time.Until(due)):
		}
		all.Go(func() {
			_, err := e.Classify(context.Background(), backend.Request{User: user(int(rand.Uint32N(1 << 30))), Message: messages[i*7919%len(messages)].raw}, false)
			if err != nil {
				log.Print(err)
			}
			mu.Lock()
			defer mu.Unlock()
			taken = append(taken, time.Since(due))
		})
	}
}

// used returns the CPU time of this process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
