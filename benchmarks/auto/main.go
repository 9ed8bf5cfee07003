// Auto measures the effect of learning its own sure answers on a daemon's engine, on mail
// in order of time.
//
//	auto [-people .5] [-correct .2] [-poison N] DIR
//
// DIR holds order.txt: a class, a tab and a path on each line, in order of time. The first
// part is taught by people. Of the rest each message is asked about, in order, once
// without automatic learning and once with it; people correct a share of the errors.
// Models are fitted after every hundredth message. With -poison, N spams with the text of
// honest messages are put in the middle of the stream; at the end all automatic learning
// is undone, and the dump is compared with the dump of a database that never learned by
// itself.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
)

type message struct {
	class string
	raw   []byte
}

func main() {
	log.SetFlags(0)
	people := flag.Float64("people", .5, "share that people teach")
	correct := flag.Float64("correct", .2, "share of errors that people correct")
	poison := flag.Int("poison", 0, "poisoned spams")
	rate := flag.Float64("error", 0, "expected error of what is learned; 0 is the default")
	spam := flag.String("spam", "spam", "the class that is spam, empty for none")
	flag.Parse()
	messages, err := read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	taught := int(*people * float64(len(messages)))
	var dumps []string
	for _, auto := range []*engine.Auto{nil, {Error: *rate}} {
		stream := poisoned(messages[taught:], messages[:taught], *poison)
		dump, err := run(messages[:taught], stream, auto, *correct, *spam)
		if err != nil {
			log.Fatal(err)
		}
		dumps = append(dumps, dump)
	}
	if *correct == 0 {
		fmt.Println("after all was taken back the dump is that of a database that never learned by itself:", dumps[0] == dumps[1])
	}
}

func read(dir string) ([]message, error) {
	order, err := os.ReadFile(filepath.Join(dir, "order.txt"))
	if err != nil {
		return nil, err
	}
	var list []message
	for line := range strings.Lines(string(order)) {
		class, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		raw, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return nil, err
		}
		list = append(list, message{class, raw})
	}
	return list, nil
}

// poisoned returns the stream with n spams in its middle to each of which the text of an
// honest message was appended.
func poisoned(stream, taught []message, n int) []message {
	if n == 0 {
		return stream
	}
	r := rand.New(rand.NewPCG(1, 1))
	var spams, hams []message
	for _, m := range taught {
		if m.class == "spam" {
			spams = append(spams, m)
		} else {
			hams = append(hams, m)
		}
	}
	var list []message
	for i := range n {
		spam, ham := spams[r.IntN(len(spams))].raw, hams[r.IntN(len(hams))].raw
		head, body, _ := bytes.Cut(spam, []byte("\n\n"))
		_, text, _ := bytes.Cut(ham, []byte("\n\n"))
		list = append(list, message{"poison", slices.Concat(head, fmt.Appendf(nil, "\nX-Number: %d\n\n", i), body, []byte("\n"), text, text)})
	}
	half := len(stream) / 2
	return slices.Concat(stream[:half], list, stream[half:])
}

func run(taught, stream []message, auto *engine.Auto, correct float64, spam string) (string, error) {
	dir, err := os.MkdirTemp("", "auto")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var classes []string
	for _, m := range taught {
		if !slices.Contains(classes, m.class) {
			classes = append(classes, m.class)
		}
	}
	e, err := engine.New(engine.Options{Path: filepath.Join(dir, "polya.db"), Auto: auto, Spam: strings.Fields(spam), Classes: classes, FitAfter: time.Hour})
	if err != nil {
		return "", err
	}
	defer e.Close()
	ctx := context.Background()
	err = batches(taught, func(part []message) error {
		done := make(chan error)
		for _, m := range part {
			go func() {
				_, err := e.Learn(ctx, backend.Request{Message: m.raw, Source: "people"}, m.class)
				done <- err
			}()
		}
		var failed error
		for range part {
			if err := <-done; err != nil {
				failed = err
			}
		}
		return failed
	})
	if err != nil {
		return "", err
	}
	if err := fit(e); err != nil {
		return "", err
	}
	fmt.Printf("%-30s", map[bool]string{false: "without", true: "with automatic learning"}[auto != nil])
	r := rand.New(rand.NewPCG(3, 3))
	wrong, unsure, all, quarter := 0, 0, 0, 0
	through := 0
	for i, m := range stream {
		a, err := e.Classify(ctx, backend.Request{Message: m.raw}, false)
		if err != nil {
			return "", err
		}
		switch {
		case m.class == "poison":
			if a.Class != spam {
				through++
			}
		case a.Class != m.class:
			wrong++
			quarter++
			if r.Float64() < correct {
				if _, err := e.Learn(ctx, backend.Request{Message: m.raw, Source: "people"}, m.class); err != nil {
					return "", err
				}
			}
		}
		if a.Unsure {
			unsure++
		}
		all++
		if i%100 == 99 {
			if err := fit(e); err != nil {
				return "", err
			}
		}
		if (i+1)*4/len(stream) > i*4/len(stream) {
			fmt.Printf("  %4d", quarter)
			quarter = 0
		}
	}
	fmt.Printf("   %.2f %% wrong, %.1f %% unsure of %d", 100*float64(wrong)/float64(all), 100*float64(unsure)/float64(all), all)
	if through > 0 {
		fmt.Printf(", %d poisoned not said to be spam", through)
	}
	fmt.Println()
	if auto != nil {
		s := e.AutoState()
		fmt.Printf("  learned %d, corrected %d; stopped: %q\n  %+v\n", s.Learned, s.Wrong, s.Stopped, s.State)
		u, err := e.Undo(ctx, "", classify.Filter{Source: new(engine.AutoSource)}, false)
		fmt.Printf("  taken back: %d, %v\n", u.Documents, err)
	}
	var b bytes.Buffer
	err = e.Use(ctx, "", func(c *classify.Classifier) error { return c.Store().Dump(ctx, &b, false) })
	return b.String(), err
}

// batches calls f with parts of a list.
func batches(list []message, f func([]message) error) error {
	for part := range slices.Chunk(list, 64) {
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}

// fit waits until the queue is learned, by learning after it, and fits.
func fit(e *engine.Engine) error {
	return e.Use(context.Background(), "", func(c *classify.Classifier) error {
		last := -1
		for {
			n := 0
			err := c.Store().View(func(s *store.Snapshot) error { n = int(s.Documents()); return nil })
			if err != nil {
				return err
			}
			if n == last {
				return c.Refit(context.Background())
			}
			last = n
			time.Sleep(20 * time.Millisecond)
		}
	})
}
