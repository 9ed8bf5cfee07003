// Package auto measures the effect of learning its own sure answers on a daemon's engine,
// on mail in order of time.
//
// The first part is taught by people. Of the rest each message is asked about, in order,
// once without automatic learning and once with it; people correct a share of the errors.
// Models are fitted after every hundredth message. Poisoned spams have the text of honest
// messages and come in the middle of the stream. At the end all automatic learning is
// undone: where nobody corrected anything, the dump must be that of a database that never
// learned by itself.
package auto

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polya-classifier/polya/benchmarks/harness"
	"github.com/polya-classifier/polya/classify"
	"github.com/polya-classifier/polya/serve/backend"
	"github.com/polya-classifier/polya/serve/engine"
	"github.com/polya-classifier/polya/store"
)

// Run is the measure.
func Run(ctx context.Context, args []string) {
	f := harness.Flags("auto [flags] DIR (with order.txt)")
	people := f.Float64("people", .5, "share that people teach")
	correct := f.Float64("correct", .2, "share of errors that people correct")
	poison := f.Int("poison", 0, "poisoned spams")
	rate := f.Float64("error", 0, "expected error of what is learned; 0 is the default")
	spam := f.String("spam", "spam", "the class that is spam, empty for none")
	docs := harness.Ordered(harness.Parse(f, args, 1, 1)[0])
	taught := int(*people * float64(len(docs)))
	stream := poisoned(docs[taught:], docs[:taught], *poison)
	never := run(ctx, docs[:taught], stream, nil, *correct, *spam)
	undone := run(ctx, docs[:taught], stream, &engine.Auto{Error: *rate}, *correct, *spam)
	if *correct == 0 {
		fmt.Println("after all was taken back the dump is that of a database that never learned by itself:", undone == never)
	}
}

// poisoned returns the stream with n spams in its middle to each of which the text of an
// honest message was appended.
func poisoned(stream, taught []harness.Document, n int) []harness.Document {
	if n == 0 {
		return stream
	}
	r := rand.New(rand.NewPCG(1, 1))
	spams := harness.Of(taught, "spam")
	hams := slices.DeleteFunc(slices.Clone(taught), func(d harness.Document) bool { return d.Class == "spam" })
	var list []harness.Document
	for i := range n {
		head, body, _ := bytes.Cut(spams[r.IntN(len(spams))].Raw, []byte("\n\n"))
		_, text, _ := bytes.Cut(hams[r.IntN(len(hams))].Raw, []byte("\n\n"))
		list = append(list, harness.Document{Class: "poison", Raw: slices.Concat(head, fmt.Appendf(nil, "\nX-Number: %d\n\n", i), body, []byte("\n"), text, text)})
	}
	half := len(stream) / 2
	return slices.Concat(stream[:half], list, stream[half:])
}

// run teaches, asks, undoes what was learned automatically and returns the dump.
func run(ctx context.Context, taught, stream []harness.Document, auto *engine.Auto, correct float64, spam string) string {
	dir, remove := harness.Scratch("")
	defer remove()
	e := harness.Must(engine.New(engine.Options{Path: filepath.Join(dir, "polya.db"), Auto: auto, Spam: strings.Fields(spam), Classes: harness.Classes(taught), FitAfter: time.Hour}))
	defer e.Close()
	learn := func(d harness.Document) {
		harness.Must(e.Learn(ctx, backend.Request{Message: d.Raw, Source: "people"}, d.Class))
	}
	for part := range slices.Chunk(taught, 64) {
		harness.Each(len(part), len(part), func(i int) { learn(part[i]) })
	}
	fit(ctx, e)
	r := rand.New(rand.NewPCG(3, 3))
	wrong, unsure, passed := 0, 0, 0
	for i, d := range stream {
		a := harness.Must(e.Classify(ctx, backend.Request{Message: d.Raw}, false))
		switch {
		case d.Class == "poison":
			if a.Class != spam {
				passed++
			}
		case a.Class != d.Class:
			wrong++
			if r.Float64() < correct {
				learn(d)
			}
		}
		if a.Unsure {
			unsure++
		}
		if i%100 == 99 {
			fit(ctx, e)
		}
	}
	all := float64(len(stream))
	fmt.Printf("automatic learning %v: %.2f %% wrong, %.1f %% unsure of %.0f, %d poisoned not said to be spam\n",
		auto != nil, 100*float64(wrong)/all, 100*float64(unsure)/all, all, passed)
	if auto != nil {
		s := e.AutoState()
		u := harness.Must(e.Undo(ctx, "", classify.Query{Source: new(engine.AutoSource)}, false))
		fmt.Printf("  learned %d, corrected %d; stopped: %q; taken back: %d\n", s.Learned, s.Wrong, s.Stopped, u.Documents)
	}
	var b bytes.Buffer
	harness.Check(e.Use(ctx, "", func(c *classify.Classifier) error { return c.Store().Dump(ctx, &b, false) }))
	return b.String()
}

// fit waits until the queue is learned, and fits.
func fit(ctx context.Context, e *engine.Engine) {
	harness.Check(e.Use(ctx, "", func(c *classify.Classifier) error {
		for last := -1; ; time.Sleep(20 * time.Millisecond) {
			n := 0
			harness.Check(c.Store().View(func(s *store.Snapshot) error { n = int(s.Documents()); return nil }))
			if n == last {
				return c.Refit(ctx)
			}
			last = n
		}
	}))
}
